/** Another user of the machine, for tests of what one user can do to another. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

export const NOBODY = 65534;

/** Why nobody can be played, for the name of a test that is skipped; empty where he can. */
export const withoutNobody =
  process.getuid?.() === 0 ? "" : "(skipped: only root can be somebody else)";

/** Before a program and its arguments. */
export const AS_NOBODY: readonly string[] = [
  ...["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"],
  ...["--inh-caps=-all", "--bounding-set=-all"],
];

export function spawnAsNobody(words: readonly string[], options: SpawnOptions): ChildProcess {
  const [program = "", ...rest] = [...AS_NOBODY, ...words];
  return spawn(program, rest, options);
}
