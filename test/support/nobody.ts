/** The user "nobody", for tests of what one user of a machine can do to another. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

export const NOBODY = 65534;

/** Why tests cannot run as nobody, for the name of a skipped test; empty if they can. */
export const withoutNobody =
  process.getuid?.() === 0 ? "" : "(skipped: only root can run as another user)";

/** Prefix for a program and its arguments: runs them as nobody. */
export const AS_NOBODY: readonly string[] = [
  ...["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"],
  ...["--inh-caps=-all", "--bounding-set=-all"],
];

export function spawnAsNobody(words: readonly string[], options: SpawnOptions): ChildProcess {
  const [program = "", ...rest] = [...AS_NOBODY, ...words];
  return spawn(program, rest, options);
}
