/** Where a server keeps what outlives it, and the names of the files in there. */
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
 * Makes the directory, closed to everybody else. One that exists has to belong to our user, and
 * what we keep in there, too. If it is open to others it is closed only if it is empty or already a
 * data directory: "--data /tmp" must not lock a machine out of /tmp.
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
