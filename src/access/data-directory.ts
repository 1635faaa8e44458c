/** The data directory of a server: what survives a restart, and the file names in it. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ensureOwnDirectory } from "../base/own-directory.ts";
import { ensureDirectory, ensurePrivateDirectory } from "./private-file.ts";

export interface DataDirectory {
  readonly path: string;
  readonly certificates: string;
  readonly token: string;
  readonly kubeconfig: string;
}

/**
 * Creates the directory with access only for its owner. An existing one must belong to our user,
 * and so must our entries in it. If others can read it, it is made private only if it is empty or
 * already a data directory: "--data /tmp" must not lock other users out of /tmp.
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const files = dataDirectory(path);
  await ensureDirectory(path);
  ensureOwnDirectory(path);
  const isOpen = ((await lstat(path)).mode & 0o077) !== 0;
  if (isOpen) {
    if ((await readdir(path)).length > 0) {
      throw new Error(`${path} is not a data directory of Tally, and others can read it`);
    }
    await ensurePrivateDirectory(path);
  }
  return files;
}

const CERTIFICATES = "pki";

function dataDirectory(path: string): DataDirectory {
  return {
    path,
    certificates: join(path, CERTIFICATES),
    token: join(path, "token"),
    kubeconfig: join(path, "kubeconfig"),
  };
}
