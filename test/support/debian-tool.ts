/**
 * Debian programs that tests use. They are installed if possible; otherwise a notice is printed.
 */
import { spawnSync } from "node:child_process";

/** Returns whether the program is available. Installing a missing one requires root and apt-get. */
export function hasTool(program: string, debianPackage = program): boolean {
  if (isPresent(program)) return true;
  if (process.getuid?.() === 0 && isPresent("apt-get")) {
    const install = ["install", "--yes", "--no-install-recommends", debianPackage];
    if (!apt(install)) {
      apt(["update"]);
      apt(install);
    }
  }
  if (isPresent(program)) return true;
  process.stderr.write(
    `skipping tests that need ${program}: it is missing and cannot be installed\n`,
  );
  return false;
}

function isPresent(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

function apt(args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync("apt-get", ["--quiet", ...args], { env, timeout: 120_000 }).status === 0;
}
