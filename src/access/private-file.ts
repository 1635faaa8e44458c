/**
 * Files with secrets: only the owner can read them, and a crash leaves either the old or the new
 * file, never a partial one.
 */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

const PRIVATE_FILE_MODE = 0o600;
const PRIVATE_DIRECTORY_MODE = 0o700;

/** Creates the directory if it is missing; an existing one keeps its mode. */
export async function ensureDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
}

/** Creates the directory, or removes the access of others to an existing one. */
export async function ensurePrivateDirectory(directory: string): Promise<void> {
  await ensureDirectory(directory);
  await closeToOthers(directory);
}

/** Undefined if the file does not exist. If others can read it, their access is removed. */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  const text = await readIfPresent(file);
  if (text !== undefined) await closeToOthers(file);
  return text;
}

export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

export interface WriteOptions {
  readonly mode?: number;
  /** The owner to set, if it is another user. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

export async function writePrivateFile(
  file: string,
  text: string,
  options: WriteOptions = {},
): Promise<void> {
  // In the same directory, because rename does not work across file systems. The name is random, so
  // that nobody can create the file in advance.
  const temporary = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    await writeNewFile(temporary, text, options);
    await rename(temporary, file);
  } catch (cause) {
    await rm(temporary, { force: true });
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file} cannot be written: ${problem}`, { cause });
  }
  await syncDirectory(dirname(file));
}

async function writeNewFile(file: string, text: string, options: WriteOptions): Promise<void> {
  const handle = await open(file, "wx", PRIVATE_FILE_MODE);
  try {
    await handle.writeFile(text);
    const { owner, mode = PRIVATE_FILE_MODE } = options;
    if (owner && owner.uid !== process.getuid?.()) await handle.chown(owner.uid, owner.gid);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A rename is durable only after its directory was synced. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function closeToOthers(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) await chmod(path, mode & 0o700);
}
