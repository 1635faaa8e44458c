/** What the system says of a running process. */
import { readdir, readFile } from "node:fs/promises";

export interface WithProcess {
  readonly process: { readonly pid?: number | undefined };
}

export async function cpuMs({ process }: WithProcess): Promise<number> {
  const { ownMs } = await readTimes(String(process.pid));
  return ownMs;
}

/** Of the children of this process that are over, and of theirs. */
export async function childrenCpuMs(): Promise<number> {
  const { childrenMs } = await readTimes("self");
  return childrenMs;
}

/** Of all children a process had or has, and of theirs that are over; of the process itself not. */
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
  /** Of those that are over. */
  readonly childrenMs: number;
}

const TICK_MS = 10;

async function readTimes(pid: string): Promise<Times> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = (first: number) => Number(fields[first]) + Number(fields[first + 1]);
  return { parent: Number(fields[1]), ownMs: ticks(11) * TICK_MS, childrenMs: ticks(13) * TICK_MS };
}
