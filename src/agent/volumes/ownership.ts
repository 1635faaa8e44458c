/** Gives a volume to the group a pod names, with kubelet's modes: it may do what it needs. */
import { chmodSync, lchownSync, lstatSync, readdirSync, type Stats } from "node:fs";
import { chmod, lchown, lstat, readdir } from "node:fs/promises";
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

/** Of volumes that may hold any number of files. With a matching root all may be left as it is. */
export async function giveTreeToGroup(
  root: string,
  ownership: GroupOwnership,
  { onlyOnMismatch }: { readonly onlyOnMismatch: boolean },
): Promise<void> {
  const stats = await lstat(root);
  const isOwned = stats.gid === ownership.gid && modeFor(stats, ownership) === modeOf(stats);
  if (onlyOnMismatch && isOwned) return;
  // The root last: one that was interrupted begins again.
  if (stats.isDirectory()) {
    for (const name of await readdir(root)) await giveFile(path.join(root, name), ownership);
  }
  await giveOne(root, stats, ownership);
}

async function giveFile(file: string, ownership: GroupOwnership): Promise<void> {
  const stats = await lstat(file);
  await giveOne(file, stats, ownership);
  if (!stats.isDirectory()) return;
  for (const name of await readdir(file)) await giveFile(path.join(file, name), ownership);
}

async function giveOne(file: string, stats: Stats, ownership: GroupOwnership): Promise<void> {
  await lchown(file, stats.uid, ownership.gid);
  if (!stats.isSymbolicLink()) await chmod(file, modeFor(stats, ownership));
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
