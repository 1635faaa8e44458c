/** Figures of a running process, from /proc. */
import { readdir, readFile } from "node:fs/promises";

export interface WithProcess {
  readonly process: { readonly pid?: number | undefined };
}

export async function cpuMs({ process }: WithProcess): Promise<number> {
  const { ownMs } = await readTimes(String(process.pid));
  return ownMs;
}

/** The CPU time of the ended children of this process, and of their ended children. */
export async function childrenCpuMs(): Promise<number> {
  const { childrenMs } = await readTimes("self");
  return childrenMs;
}

/**
 * The CPU time of all children of a process, running or ended, and of their ended children; without
 * the process itself.
 */
export async function descendantsCpuMs({ process }: WithProcess): Promise<number> {
  let sumMs = (await readTimes(String(process.pid))).childrenMs;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const times = await readTimes(name).catch(() => undefined);
    if (times === undefined || times.parent !== process.pid) continue;
    sumMs += times.ownMs + times.childrenMs;
  }
  return sumMs;
}

export async function residentMb({ process }: WithProcess): Promise<number> {
  const status = await readFile(`/proc/${process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

interface Times {
  readonly parent: number;
  readonly ownMs: number;
  /** The CPU time of its ended children. */
  readonly childrenMs: number;
}

const TICK_MS = 10;

async function readTimes(pid: string): Promise<Times> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = (first: number) => Number(fields[first]) + Number(fields[first + 1]);
  return { parent: Number(fields[1]), ownMs: ticks(11) * TICK_MS, childrenMs: ticks(13) * TICK_MS };
}
