/** Gives a volume to the group a pod names, with kubelet's modes: it may do what it needs. */
import { chmodSync, constants, lchownSync, lstatSync, readdirSync, type Stats } from "node:fs";
import { chmod, chown, type FileHandle, lchown, open, readdir } from "node:fs/promises";
import path from "node:path";

export interface GroupOwnership {
  readonly gid: number;
  /** The group may read only. */
  readonly isReadOnly: boolean;
}

/** At once: for the few files of a volume that is made of objects. */
export function giveToGroup(file: string, ownership: GroupOwnership): void {
  const stats = lstatSync(file);
  lchownSync(file, stats.uid, ownership.gid);
  if (stats.isSymbolicLink()) return;
  chmodSync(file, modeFor(stats, ownership));
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(file)) giveToGroup(path.join(file, name), ownership);
}

/**
 * For volumes with any number of files, to which containers may write meanwhile: every file is
 * looked up in its open directory, so that a link in the place of a directory leads nowhere. With
 * `onlyOnMismatch`, nothing is changed if the root of the volume already fits.
 */
export async function giveTreeToGroup(
  root: string,
  ownership: GroupOwnership,
  { onlyOnMismatch }: { readonly onlyOnMismatch: boolean },
): Promise<void> {
  const opened = await open(root, O_PATH | constants.O_NOFOLLOW);
  try {
    const stats = await opened.stat();
    const isOwned = stats.gid === ownership.gid && modeFor(stats, ownership) === modeOf(stats);
    if (onlyOnMismatch && isOwned) return;
    // The root last: if this is interrupted, it begins again.
    if (stats.isDirectory()) await giveEntries(pathOf(opened), ownership);
    await giveOne(opened, stats, ownership);
  } finally {
    await opened.close();
  }
}

/** Links and files that vanish meanwhile are left alone. */
async function giveEntries(folder: string, ownership: GroupOwnership): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const opened = await open(file, O_PATH | constants.O_NOFOLLOW).catch(() => undefined);
    if (opened === undefined) continue;
    try {
      const stats = await opened.stat();
      // A link has no mode, and the open link leads nowhere.
      if (stats.isSymbolicLink()) await lchown(file, stats.uid, ownership.gid).catch(() => {});
      else await giveOne(opened, stats, ownership);
      if (stats.isDirectory()) await giveEntries(pathOf(opened), ownership);
    } finally {
      await opened.close();
    }
  }
}

async function giveOne(file: FileHandle, stats: Stats, ownership: GroupOwnership): Promise<void> {
  await chown(pathOf(file), stats.uid, ownership.gid);
  await chmod(pathOf(file), modeFor(stats, ownership));
}

/** Opens a file without the right to read it; the same number on every Linux that Node runs on. */
const O_PATH = 0o10000000;

function pathOf(file: FileHandle): string {
  return `/proc/self/fd/${file.fd}`;
}

const READ_WRITE = 0o660;
const READ_ONLY = 0o440;
/** Files that are made in a directory belong to its group, too. */
const SET_GROUP_ID = 0o2000;
const SEARCH = 0o110;

function modeFor(stats: Stats, { isReadOnly }: GroupOwnership): number {
  const mask = isReadOnly ? READ_ONLY : READ_WRITE;
  return modeOf(stats) | mask | (stats.isDirectory() ? SET_GROUP_ID | SEARCH : 0);
}

function modeOf({ mode }: Stats): number {
  return mode & 0o7777;
}
