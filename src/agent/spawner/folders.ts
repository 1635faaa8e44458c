/**
 * Log files of runs and their folders. To make a folder costs a file system a tenth of a
 * millisecond, and to ask whether it is there a hundredth: those that were there a moment ago are
 * not asked for again.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { StartOrder } from "./protocol.ts";

const known = new Set<string>();
const MOST_KNOWN = 1024;

/** A shell only opens them: it has the umask of the run, by which others might read them. */
export function makeLogs({ logFile, errorFile, terminal }: StartOrder, isCompiled: boolean): void {
  ensureFolder(dirname(logFile));
  if (terminal !== undefined || isCompiled) return;
  makeFile(logFile);
  if (errorFile !== undefined) makeFile(errorFile);
}

function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch {
    // The slot will say why it cannot be opened.
  }
}

function ensureFolder(path: string): void {
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
    mkdirSync(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    make(dirname(path));
    mkdirSync(path, 0o700);
  }
}
