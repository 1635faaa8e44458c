/**
 * Removes directories that somebody else may still write to, or has left in any shape. Node's own
 * rm looks up every path anew: a directory that is replaced by a link meanwhile leads it to other
 * files, and a very deep one to an error or a full stack.
 */
import { constants, type Dirent } from "node:fs";
import { chmod, type FileHandle, open, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";

/** Paths below an open directory begin there, whatever its name stands for by now. */
const within = (folder: FileHandle, name: string) => `/proc/self/fd/${folder.fd}/${name}`;

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Opens a directory whatever its mode is; the same number on every Linux that Node runs on. */
const O_PATH = 0o10000000;

/** Resolves if there is nothing at the path. Rejects with the first error otherwise. */
export async function removeTree(path: string): Promise<void> {
  const parent = await openIfThere(dirname(path));
  if (parent === undefined) return;
  try {
    if (await removeEntry(parent, basename(path))) return;
    const top = await openFolder(parent, basename(path));
    if (top === undefined) return;
    try {
      await empty(top);
    } finally {
      await top.close();
    }
    await ignoring(["ENOENT"], rmdir(within(parent, basename(path))));
  } finally {
    await parent.close();
  }
}

/**
 * Directories inside directories are moved up to the top before they are emptied: no path is longer
 * than two names, and no more than three directories are open, however deep the tree is.
 */
async function empty(top: FileHandle): Promise<void> {
  let moved = 0;
  for (;;) {
    const entries = await readdir(`/proc/self/fd/${top.fd}`, { withFileTypes: true });
    if (entries.length === 0) return;
    for (const { name } of entries) {
      if (await removeEntry(top, name)) continue;
      const folder = await openFolder(top, name);
      if (folder === undefined) continue;
      try {
        for (const inner of await readdir(`/proc/self/fd/${folder.fd}`, { withFileTypes: true })) {
          moved += (await clear(folder, inner, { top, number: moved })) ? 1 : 0;
        }
      } finally {
        await folder.close();
      }
      await ignoring(["ENOENT", "ENOTEMPTY"], rmdir(within(top, name)));
    }
  }
}

/** Whether the entry was moved up. */
async function clear(
  folder: FileHandle,
  { name }: Dirent,
  { top, number }: { readonly top: FileHandle; readonly number: number },
): Promise<boolean> {
  if (await removeEntry(folder, name)) return false;
  const up = `.removed-${process.pid}-${number}`;
  await ignoring(["ENOENT"], rename(within(folder, name), within(top, up)));
  return true;
}

/** False if it is a directory with something in it. */
async function removeEntry(folder: FileHandle, name: string): Promise<boolean> {
  const path = within(folder, name);
  try {
    await unlink(path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return true;
    if (code !== "EISDIR" && code !== "EPERM") throw error;
  }
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return true;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    return false;
  }
}

/** Also if its mode is closed to its own owner. Undefined if it is gone, or a link by now. */
async function openFolder(parent: FileHandle, name: string): Promise<FileHandle | undefined> {
  const path = within(parent, name);
  try {
    return await open(path, FOLDER);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ELOOP" || code === "ENOTDIR") return undefined;
    if (code !== "EACCES") throw error;
  }
  const closed = await open(path, O_PATH | FOLDER);
  try {
    await chmod(`/proc/self/fd/${closed.fd}`, 0o700);
  } finally {
    await closed.close();
  }
  return open(path, FOLDER);
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function ignoring(codes: readonly string[], change: Promise<void>): Promise<void> {
  await change.catch((error) => {
    if (!codes.includes(codeOf(error))) throw error;
  });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}
