/**
 * Writes the files of a volume so that whoever reads them sees all of one version, as kubelet does:
 *
 *     ..2026_11_16_05_30_00.x7Gk2p/   the files of the current version
 *     ..data  -> ..2026_11_16_05_30_00.x7Gk2p
 *     name    -> ..data/name          for the first part of every path
 *
 * 1. Nothing is written where nothing has changed.
 * 2. The files go to a new directory, and `..data` is replaced by a rename.
 * 3. Links to new names are made after that, and those to names that are gone are removed.
 * 4. Then the directory of the former version goes.
 *
 * It does not wait: two versions never come between each other.
 */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { Payload } from "./files.ts";
import { giveToGroup } from "./ownership.ts";

export interface WriteOptions {
  readonly nowMs: number;
  /** The group that owns the files, where the pod names one. */
  readonly fsGroup?: number;
}

const DATA = "..data";
const NEXT_DATA = "..data_tmp";

/** Whether there was anything to write. The directory exists. */
export function writeAtomically(
  directory: string,
  payload: Payload,
  { nowMs, fsGroup }: WriteOptions,
): boolean {
  const current = findCurrent(directory);
  if (current !== undefined && isSame(path.join(directory, current), payload)) return false;
  const version = mkdtempSync(path.join(directory, `..${formatVersion(nowMs)}.`));
  try {
    writeVersion(version, payload);
    if (fsGroup !== undefined) giveToGroup(directory, { gid: fsGroup, isReadOnly: true });
    replaceLink(directory, path.basename(version));
  } catch (error) {
    rmSync(version, { recursive: true, force: true });
    throw error;
  }
  linkNames(directory, payload);
  removeFormer(directory, path.basename(version));
  return true;
}

function findCurrent(directory: string): string | undefined {
  try {
    return readlinkSync(path.join(directory, DATA));
  } catch {
    return undefined;
  }
}

function isSame(version: string, payload: Payload): boolean {
  try {
    const entries = readdirSync(version, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory());
    if (files.length !== payload.size) return false;
    for (const [name, { content }] of payload) {
      if (!readFileSync(path.join(version, name)).equals(content)) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** "2026_11_16_05_30_00" */
function formatVersion(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 19).replace(/[-:T]/g, "_");
}

/** Modes are set apart from writing: the umask is none of their business. */
function writeVersion(version: string, payload: Payload): void {
  chmodSync(version, 0o755);
  for (const [name, { content, mode }] of payload) {
    const file = path.join(version, name);
    const parent = path.dirname(file);
    if (parent !== version) makeParents(version, parent);
    writeFileSync(file, content);
    chmodSync(file, mode);
  }
}

function makeParents(version: string, parent: string): void {
  let made = version;
  for (const part of path.relative(version, parent).split(path.sep)) {
    made = path.join(made, part);
    mkdirSync(made, { recursive: true });
    chmodSync(made, 0o755);
  }
}

function replaceLink(directory: string, version: string): void {
  const next = path.join(directory, NEXT_DATA);
  rmSync(next, { force: true });
  symlinkSync(version, next);
  renameSync(next, path.join(directory, DATA));
}

function linkNames(directory: string, payload: Payload): void {
  const wanted = new Set([...payload.keys()].map((name) => name.split("/")[0] ?? name));
  for (const name of readdirSync(directory)) {
    if (name.startsWith("..") || wanted.delete(name)) continue;
    unlinkSync(path.join(directory, name));
  }
  for (const name of wanted) symlinkSync(path.join(DATA, name), path.join(directory, name));
}

/** Also what a crash left half-written. */
function removeFormer(directory: string, version: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith("..") || name === DATA || name === version) continue;
    rmSync(path.join(directory, name), { recursive: true, force: true });
  }
}
