/**
 * A part of a volume, found so that nothing a container wrote into the volume leads out of it.
 *
 * 1. Links are followed once, and what they lead to has to be in the volume.
 * 2. What is not there is made, directory by directory, none of them through a link.
 * 3. The way is gone again without following links. The device and inode it ends at go along with
 *    the path: whoever mounts it later checks that it is still the same.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  realpathSync,
} from "node:fs";
import path from "node:path";

export interface FoundPart {
  readonly path: string;
  readonly identity: { readonly device: number; readonly inode: number };
}

/** Names a place without the permission to read it; the same on every Linux that Node runs on. */
const O_PATH = 0o10000000;
const STEP = O_PATH | constants.O_NOFOLLOW;

/** The mode of new directories is that of the volume. Throws where it leads out of the volume. */
export function ensurePart(volume: string, subPath: string, mode: number): FoundPart {
  const root = realpathSync(volume);
  const wanted = path.join(root, subPath);
  const { existing, missing } = followLinks(wanted);
  const inVolume = path.relative(root, existing);
  if (inVolume === ".." || inVolume.startsWith("../"))
    throw new Error("it leads out of the volume");
  const steps = [...inVolume.split("/"), ...missing].filter((step) => step !== "");
  return { path: path.join(root, ...steps), identity: walk(root, steps, mode) };
}

/** What is there, links followed, and the names that are not. */
function followLinks(wanted: string): { existing: string; missing: readonly string[] } {
  const missing: string[] = [];
  for (let place = wanted; ; place = path.dirname(place)) {
    try {
      return { existing: realpathSync(place), missing };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || place === "/") throw error;
      missing.unshift(path.basename(place));
    }
  }
}

function walk(root: string, steps: readonly string[], mode: number): FoundPart["identity"] {
  let place = openSync(root, STEP);
  try {
    for (const step of steps) {
      const next = enter(place, step, mode);
      closeSync(place);
      place = next;
    }
    const { dev: device, ino: inode } = fstatSync(place);
    return { device, inode };
  } finally {
    closeSync(place);
  }
}

/** Below an open directory: a name that is put in its way meanwhile leads nowhere else. */
function enter(parent: number, step: string, mode: number): number {
  const child = `/proc/self/fd/${parent}/${step}`;
  const isNew = make(child, mode);
  const opened = openSync(child, STEP);
  if (fstatSync(opened).isSymbolicLink()) {
    closeSync(opened);
    throw new Error("a link was put in its way");
  }
  if (isNew) chmodSync(`/proc/self/fd/${opened}`, mode);
  return opened;
}

function make(directory: string, mode: number): boolean {
  try {
    mkdirSync(directory, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
