/** What the system says of a running process. */
import { readFile } from "node:fs/promises";

export interface WithProcess {
  readonly process: { readonly pid?: number | undefined };
}

export async function cpuMs({ process }: WithProcess): Promise<number> {
  const stat = await readFile(`/proc/${process.pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}

export async function residentMb({ process }: WithProcess): Promise<number> {
  const status = await readFile(`/proc/${process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
