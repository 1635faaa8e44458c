/** Reads the facts of this machine. What it does not tell is left empty. */
import { readFileSync, statfsSync } from "node:fs";
import os from "node:os";
import { architectureOf, type HostFacts, operatingSystemOf, osImageOf } from "./host-facts.ts";

/** The directory is one on the file system that holds logs and data. */
export function readHost(directory: string): HostFacts {
  const { blocks, bavail, bsize } = statfsSync(directory);
  const operatingSystem = operatingSystemOf(process.platform);
  const machineId = textOf("/etc/machine-id") || textOf("/var/lib/dbus/machine-id");
  return {
    cpus: os.availableParallelism(),
    memoryBytes: memoryBytes(),
    availableMemoryBytes: process.availableMemory?.() ?? os.freemem(),
    storageBytes: blocks * bsize,
    availableStorageBytes: bavail * bsize,
    operatingSystem,
    architecture: architectureOf(process.arch),
    kernelVersion: os.release(),
    osImage: osImageOf(textOf("/etc/os-release")) ?? os.version(),
    machineId,
    // Only root may read the firmware's; Kubernetes takes the machine's then.
    systemUuid: textOf("/sys/class/dmi/id/product_uuid") || machineId,
    bootId: textOf("/proc/sys/kernel/random/boot_id"),
  };
}

/** What a control group allows, where this process is in one that is smaller than the machine. */
function memoryBytes(): number {
  const total = os.totalmem();
  const constrained = process.constrainedMemory?.() ?? 0;
  return constrained > 0 && constrained < total ? constrained : total;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}
