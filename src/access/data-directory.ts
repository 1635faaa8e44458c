/** Where a server keeps what outlives it, and the names of the files in there. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ensureDirectory, ensurePrivateDirectory } from "./private-file.ts";

export interface DataDirectory {
  readonly path: string;
  readonly certificates: string;
  readonly token: string;
  readonly kubeconfig: string;
}

/**
 * Makes the directory, closed to everybody else. One that exists and is open to others is closed
 * only if it is empty or already ours: "--data /tmp" must not lock a machine out of /tmp.
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const files = dataDirectory(path);
  await ensureDirectory(path);
  const isOpen = ((await stat(path)).mode & 0o077) !== 0;
  if (isOpen) {
    const entries = await readdir(path);
    if (entries.length > 0 && !OURS.some((each) => entries.includes(each))) {
      throw new Error(`${path} is not a data directory of Tally, and others can read it`);
    }
    await ensurePrivateDirectory(path);
  }
  return files;
}

const CERTIFICATES = "pki";
/** What tells a data directory from any other. */
const OURS = [CERTIFICATES, "store"];

function dataDirectory(path: string): DataDirectory {
  return {
    path,
    certificates: join(path, CERTIFICATES),
    token: join(path, "token"),
    kubeconfig: join(path, "kubeconfig"),
  };
}
