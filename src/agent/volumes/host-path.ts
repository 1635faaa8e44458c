/** Looks at a path of the host as its type asks, makes it where it may; in kubelet's words. */
import type { Stats } from "node:fs";
import { chmod, mkdir, open, realpath, stat } from "node:fs/promises";
import type { HostPathVolumeSource } from "../../api/generated/core.ts";
import { systemErrorText } from "./system-error.ts";

export type FoundPath = { readonly path: string } | { readonly problem: string };

export async function findHostPath({ path, type = "" }: HostPathVolumeSource): Promise<FoundPath> {
  try {
    const problem = await check(path, type);
    return problem === undefined ? { path: await realpath(path) } : { problem };
  } catch (error) {
    return { problem: systemErrorText(error) };
  }
}

async function check(path: string, type: string): Promise<string | undefined> {
  const stats = await find(path);
  const rule = RULES[type];
  if (rule === undefined) return `${type} is an invalid volume type`;
  if (stats === undefined && rule.make !== undefined) {
    await rule.make(path);
    return undefined;
  }
  if (stats !== undefined && rule.accepts(stats)) return undefined;
  return `hostPath type check failed: ${path} is not a ${rule.what}`;
}

interface TypeRule {
  readonly what: string;
  readonly accepts: (stats: Stats) => boolean;
  readonly make?: (path: string) => Promise<void>;
}

const isDirectory = (stats: Stats) => stats.isDirectory();
const isFile = (stats: Stats) => !stats.isDirectory();

const RULES: { readonly [type: string]: TypeRule } = {
  // Nothing is checked; what is not there is made by whoever mounts it.
  "": { what: "path", accepts: () => true, make: makeDirectory },
  DirectoryOrCreate: { what: "directory", accepts: isDirectory, make: makeDirectory },
  Directory: { what: "directory", accepts: isDirectory },
  FileOrCreate: { what: "file", accepts: isFile, make: makeFile },
  File: { what: "file", accepts: isFile },
  Socket: { what: "socket file", accepts: (stats) => stats.isSocket() },
  CharDevice: { what: "character device", accepts: (stats) => stats.isCharacterDevice() },
  BlockDevice: { what: "block device", accepts: (stats) => stats.isBlockDevice() },
};

async function find(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o755 });
}

/** Its directory has to be there. */
async function makeFile(path: string): Promise<void> {
  const file = await open(path, "a", 0o644);
  await file.close();
  await chmod(path, 0o644);
}
