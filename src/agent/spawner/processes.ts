/**
 * What /proc says of processes: who a pid is, and which processes belong to a run. Those that left
 * the process group of their slot (a daemon forks twice and begins a group of its own) still carry
 * the environment they were started with, and in it the marker of their run. Out of reach are those
 * that wiped their environment before they left, and those of another user.
 */
import { readdirSync, readFileSync } from "node:fs";
import { assert } from "../../base/assert.ts";
import type { RunName } from "./protocol.ts";
import { MARKER } from "./script.ts";

export interface ProcessIdentity {
  readonly pid: number;
  readonly ticks: string;
}

export function bootName(): string {
  return read("/proc/sys/kernel/random/boot_id")?.trim() ?? "unknown";
}

/** Undefined when there is no such process, or only what is left of a dead one. */
export function findTicks(pid: number): string | undefined {
  const stat = readStat(pid);
  return stat === undefined || stat.isDead ? undefined : stat.ticks;
}

export function isSameProcess({ pid, ticks }: ProcessIdentity): boolean {
  return findTicks(pid) === ticks;
}

export interface MarkedProcess {
  readonly pid: number;
  readonly run: RunName;
  readonly group: number;
}

/** All processes marked as belonging to one of the runs, and those in the group of a slot named. */
export function findMarked(
  runs: ReadonlySet<RunName>,
  groups: ReadonlyMap<number, RunName> = new Map(),
): readonly MarkedProcess[] {
  const found: MarkedProcess[] = [];
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const run = findMarker(pid)?.find((each) => runs.has(each));
    if (run === undefined && groups.size === 0) continue;
    const stat = readStat(pid);
    if (stat === undefined || stat.isDead) continue;
    const belongsTo = run ?? groups.get(stat.group) ?? groups.get(stat.leader);
    if (belongsTo !== undefined) found.push({ pid, run: belongsTo, group: stat.group });
  }
  return found;
}

export function isMarked(pid: number, run: RunName): boolean {
  return findMarker(pid)?.includes(run) === true;
}

/** The runs a process belongs to: one, or several where a run started a server of its own. */
function findMarker(pid: number): readonly RunName[] | undefined {
  const environment = read(`/proc/${pid}/environ`);
  if (environment === undefined) return undefined;
  const at = environment.startsWith(`${MARKER}=`) ? 0 : environment.indexOf(`\0${MARKER}=`) + 1;
  if (at === 0 && !environment.startsWith(MARKER)) return undefined;
  const end = environment.indexOf("\0", at);
  return environment.slice(at + MARKER.length + 1, end < 0 ? undefined : end).split(" ");
}

interface Stat {
  readonly isDead: boolean;
  readonly group: number;
  /** The process that began with setsid what this one is part of. */
  readonly leader: number;
  readonly ticks: string;
}

function readStat(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The command in field 2 may contain anything, also blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, , group, leader] = fields;
  const isDead = state === "Z" || state === "X";
  return { isDead, group: Number(group), leader: Number(leader), ticks: fields[19] ?? "" };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** False when nobody was there to take it. Below zero it is a group. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  // Zero is our own group, and minus one everybody.
  assert(Math.abs(pid) > 1, "a signal to a process that can be named");
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
