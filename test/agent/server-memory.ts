/** How much memory a process uses, from /proc. */
import { readFileSync } from "node:fs";

export interface Memory {
  readonly nowMb: number;
  readonly mostMb: number;
}

export function memoryOf(pid: number | undefined): Memory {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (field: string) => {
    const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  };
  return { nowMb: megabytes("VmRSS"), mostMb: megabytes("VmHWM") };
}
