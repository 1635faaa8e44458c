/** Finds the processes of this machine whose environment has the given variable and value. */
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
    // The process ended, or belongs to another user.
    return "";
  }
}
