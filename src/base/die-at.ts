/**
 * A point at which a test can end the process, like `kill -9`, between two awaits. Does nothing
 * unless the variable TALLY_TEST_DIE_AT is set. "resume:3" ends the process at the third step of
 * that name, "any:3" at the third step of any name.
 */

const VARIABLE = "TALLY_TEST_DIE_AT";
const passed = new Map<string, number>();

export function dieAt(step: string): void {
  const wanted = process.env[VARIABLE];
  if (wanted !== undefined && isDue(wanted, step, passed)) process.kill(process.pid, "SIGKILL");
}

/** Counts the step, under its own name and under "any". */
export function isDue(wanted: string, step: string, counts: Map<string, number>): boolean {
  for (const name of [step, "any"]) counts.set(name, (counts.get(name) ?? 0) + 1);
  const at = wanted.lastIndexOf(":");
  const name = wanted.slice(0, at);
  return (name === step || name === "any") && counts.get(name) === Number(wanted.slice(at + 1));
}
