/**
 * Folders of log files. To make one costs a file system a tenth of a millisecond, and to ask
 * whether it is there a hundredth: those that were there a moment ago are not asked for again.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

const known = new Set<string>();
const MOST_KNOWN = 1024;

export function ensureFolder(path: string): void {
  if (known.has(path)) return;
  make(path);
  if (known.size >= MOST_KNOWN) known.clear();
  known.add(path);
}

export function forgetFolders(): void {
  known.clear();
}

/** Not mkdir's own recursion: that never ends where a parent can be made and is not there. */
function make(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    make(dirname(path));
    mkdirSync(path);
  }
}
