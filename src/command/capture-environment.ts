/** The environment, working directory, umask and limits of this process, as it was started. */
import { readFileSync } from "node:fs";
import { NOT_HANDED_ON, type RunEnvironment } from "../api/run-environment.ts";
import {
  type Amount,
  formatLimits,
  type ProcessLimits,
  readProcLimits,
} from "../base/process-limits.ts";

export function captureEnvironment(workingDirectory: string): RunEnvironment {
  return {
    variables: withoutOwn(readEnvironment()),
    workingDirectory,
    umask: process.umask().toString(8).padStart(4, "0"),
    limits: formatLimits(asStarted(readLimits("self"))),
  };
}

/** Node decodes variables as UTF-8, which loses other bytes. The system has all of them. */
function readEnvironment(): Buffer {
  try {
    return readFileSync("/proc/self/environ");
  } catch {
    const entries = Object.entries(process.env).map(([name, value]) => `${name}=${value}\0`);
    return Buffer.from(entries.join(""), "utf8");
  }
}

/** latin1 has one character per byte, so that no byte is lost. */
function withoutOwn(variables: Buffer): Buffer {
  const kept = variables
    .toString("latin1")
    .split("\0")
    .filter((entry) => entry !== "" && !NOT_HANDED_ON.includes(entry.split("=", 1)[0] ?? ""));
  return Buffer.from(kept.map((entry) => `${entry}\0`).join(""), "latin1");
}

function readLimits(pid: number | "self"): ProcessLimits {
  try {
    return readProcLimits(readFileSync(`/proc/${pid}/limits`, "latin1"));
  } catch {
    return new Map();
  }
}

/** Node raises its soft limit of open files to the hard limit before any of our code runs. */
function asStarted(limits: ProcessLimits): ProcessLimits {
  const files = limits.get("nofile");
  if (files === undefined || files.soft !== files.hard) return limits;
  const soft = softAtLaunch() ?? softOfParent(files.hard) ?? files.soft;
  return new Map(limits).set("nofile", { ...files, soft });
}

/** "PID SOFT", from the shell that became this process: see scripts/setup.mjs. */
function softAtLaunch(): Amount | undefined {
  const [pid, soft = ""] = (process.env["TALLY_LAUNCH"] ?? "").split(" ");
  if (Number(pid) !== process.pid) return undefined;
  if (soft === "unlimited") return soft;
  return /^\d+$/.test(soft) ? BigInt(soft) : undefined;
}

/** For "node main.js": the soft limit is most likely that of the parent shell. */
function softOfParent(hard: Amount): Amount | undefined {
  const files = readLimits(process.ppid).get("nofile");
  return files?.hard === hard ? files.soft : undefined;
}
