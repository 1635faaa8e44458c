/**
 * Limits that the kernel keeps, where this process may make control groups. A limited run has a
 * slot of its own, which is in the group before the run begins; the group is named after the slot,
 * so whoever adopts the run finds it.
 *
 * Version 1: below the group we are in, one hierarchy for each controller. Version 2: below the
 * group we are in if it was handed to us with its controllers, else below the root; controllers
 * are never switched on for others.
 */
import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Capabilities, Limits } from "./protocol.ts";

export interface Cgroups {
  readonly can: Pick<Capabilities, "enforcesCpu" | "enforcesMemory">;
  /** Whether any of these limits can be kept here. */
  enforces(limits: Limits | undefined): limits is Limits;
  /** Puts a slot under limits. */
  confine(slot: string, pid: number, limits: Limits): void;
  holds(slot: string): boolean;
  wasOutOfMemory(slot: string): boolean;
  remove(slot: string): void;
}

type Controller = "memory" | "cpu";

interface Place {
  readonly parent: string;
  readonly version: 1 | 2;
}

export function openCgroups(root = "/sys/fs/cgroup", own = "/proc/self/cgroup"): Cgroups {
  const lines = read(own)?.trim().split("\n") ?? [];
  const memory = findPlace("memory", root, lines);
  const cpu = findPlace("cpu", root, lines);
  const parents = new Set([memory, cpu].flatMap((place) => (place ? [place.parent] : [])));
  const nameOf = (slot: string) => `tally-${slot}`;
  const confined = new Set<string>();
  return {
    can: { enforcesMemory: memory !== undefined, enforcesCpu: cpu !== undefined },
    enforces(limits): limits is Limits {
      const keepsMemory = memory !== undefined && limits?.memoryBytes !== undefined;
      return keepsMemory || (cpu !== undefined && limits?.cpuMillis !== undefined);
    },
    confine(slot, pid, { memoryBytes, cpuMillis }) {
      const wanted = [
        memoryBytes === undefined ? undefined : memory && memorySetting(memory, memoryBytes),
        cpuMillis === undefined ? undefined : cpu && cpuSetting(cpu, cpuMillis),
      ].filter((setting) => setting !== undefined);
      for (const { parent, files } of wanted) {
        const group = join(parent, nameOf(slot));
        mkdirSync(group, { recursive: true });
        for (const [file, value] of files) writeFileSync(join(group, file), value);
        writeFileSync(join(group, "cgroup.procs"), String(pid));
      }
      confined.add(slot);
    },
    holds: (slot) => confined.has(slot),
    wasOutOfMemory(slot) {
      if (memory === undefined) return false;
      const file = memory.version === 1 ? "memory.oom_control" : "memory.events";
      const text = read(join(memory.parent, nameOf(slot), file)) ?? "";
      return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0) > 0;
    },
    remove(slot) {
      confined.delete(slot);
      for (const parent of parents) removeGroup(join(parent, nameOf(slot)));
    },
  };
}

/** For who does without. */
export const noCgroups: Cgroups = {
  can: { enforcesMemory: false, enforcesCpu: false },
  enforces: (_limits): _limits is Limits => false,
  confine: () => {},
  holds: () => false,
  wasOutOfMemory: () => false,
  remove: () => {},
};

function findPlace(controller: Controller, root: string, lines: string[]): Place | undefined {
  const own = lines.map((line) => line.split(":"));
  const first = own.find(([, controllers]) => controllers?.split(",").includes(controller));
  if (first !== undefined) {
    const [, controllers = "", path = "/"] = first;
    const parents = [controllers, controller].map((name) => join(root, name, path));
    const parent = parents.find(isWritable);
    return parent === undefined ? undefined : { parent, version: 1 };
  }
  const path = own.find(([number, controllers]) => number === "0" && controllers === "")?.[2];
  if (path === undefined) return undefined;
  const parent = [join(root, path), root].find((each) => {
    const offered = read(join(each, "cgroup.subtree_control"))?.trim().split(" ");
    return offered?.includes(controller) && isWritable(each);
  });
  return parent === undefined ? undefined : { parent, version: 2 };
}

interface Setting {
  readonly parent: string;
  readonly files: readonly (readonly [file: string, value: string])[];
}

function memorySetting({ parent, version }: Place, bytes: number): Setting {
  const file = version === 1 ? "memory.limit_in_bytes" : "memory.max";
  return { parent, files: [[file, String(bytes)]] };
}

const PERIOD_US = 100_000;
/** The kernel takes no smaller share. */
const LEAST_QUOTA_US = 1000;

function cpuSetting({ parent, version }: Place, millis: number): Setting {
  const quota = Math.max(LEAST_QUOTA_US, Math.round((millis * PERIOD_US) / 1000));
  if (version === 2) return { parent, files: [["cpu.max", `${quota} ${PERIOD_US}`]] };
  return {
    parent,
    files: [
      ["cpu.cfs_period_us", String(PERIOD_US)],
      ["cpu.cfs_quota_us", String(quota)],
    ],
  };
}

/** Permission alone does not tell: a group may be full, or not handed to us though we are root. */
function isWritable(directory: string): boolean {
  const probe = join(directory, `tally-probe-${process.pid}`);
  try {
    accessSync(directory, constants.W_OK);
    mkdirSync(probe);
    rmdirSync(probe);
    return true;
  } catch {
    return false;
  }
}

function removeGroup(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // There is none, or the kernel is not done with it: an empty group costs next to nothing.
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
