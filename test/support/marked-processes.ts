/** Processes of this machine that have a variable with such a value, whoever started them. */
import { readdirSync, readFileSync } from "node:fs";

export function markedProcesses(variable: string, value: string): readonly number[] {
  const wanted = `\0${variable}=${value}\0`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(wanted))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`;
  } catch {
    // It ended, or is another user's.
    return "";
  }
}
