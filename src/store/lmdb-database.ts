/** How Tally's LMDB database is opened, its keys, and the format versions that can be read. */
import { type FileHandle, open as openFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { RootDatabase } from "lmdb";
import type { JournalState } from "./journal.ts";

// Loading the package as one CommonJS file takes half as long as loading its ES modules.
type Lmdb = typeof import("lmdb", { with: { "resolution-mode": "require" }});
const { open } = createRequire(import.meta.url)("lmdb") as Lmdb;

export type Database = RootDatabase<Buffer, Buffer>;

/** Increased when older versions of Tally could no longer read what is written. */
export const FORMAT_VERSION = 2;
/** Format version 1 had no notes. */
const OLDEST_READABLE = 1;

export const DATABASE_FILE = "data.mdb";

/** No resource has an empty name, so no object key starts with \0 like these keys. */
export const STATE_KEY = Buffer.from("\0state");
export const NOTE_PREFIX = "\0note\0";
export const NOTES_END = Buffer.from("\0note\x01");
export const FIRST_OBJECT = Buffer.from("\x01");

export function noteKey(key: string): Buffer {
  return Buffer.from(NOTE_PREFIX + key, "latin1");
}

export function openDatabase(path: string, { readOnly = false } = {}): Database {
  return open<Buffer, Buffer>({
    path,
    // The type declarations of lmdb lack this option, but lmdb reads it.
    ...{ permissionsMode: 0o600 },
    noSubdir: false,
    encoding: "binary",
    keyEncoding: "binary",
    overlappingSync: false,
    // The commit queue forms the batches; lmdb must not delay a batch to wait for more writes.
    eventTurnBatching: false,
    maxDbs: 1,
    ...(readOnly ? { readOnly } : {}),
  });
}

/**
 * Whether the file is a complete LMDB database. lmdb crashes the whole process if the file is
 * something else, or when it reads a page behind the end of a truncated file.
 */
export async function isDatabase(path: string, size: number): Promise<boolean> {
  const file = await openFile(path, "r");
  try {
    const first = await readHeader(file, 0);
    const second = first && (await readHeader(file, first.pageSize));
    if (!first || !second) return false;
    const newest = first.transaction >= second.transaction ? first : second;
    return size >= (newest.lastPage + 1) * first.pageSize;
  } finally {
    await file.close();
  }
}

interface Header {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
}

/**
 * Reads in the byte order of this host: a database from a host with another one is not accepted.
 */
async function readHeader(file: FileHandle, at: number): Promise<Header | undefined> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, at);
  const words = new Uint32Array(new Uint8Array(buffer).buffer);
  if (bytesRead < HEADER_BYTES || words[AT.magic] !== MAGIC) return undefined;
  const long = (word: number) => (words[word] ?? 0) + (words[word + 1] ?? 0) * 2 ** 32;
  return {
    pageSize: words[AT.pageSize] ?? 0,
    lastPage: long(AT.lastPage),
    transaction: long(AT.transaction),
  };
}

const MAGIC = 0xbeefc0de;
const HEADER_BYTES = 168;
/** Positions in words of four bytes. */
const AT = { magic: 6, pageSize: 12, lastPage: 36, transaction: 38 } as const;

export function parseState(dataDir: string, record: Buffer | undefined): JournalState {
  const state = parseRecord(record);
  const format = Number(state["format"]);
  if (!(format >= OLDEST_READABLE && format <= FORMAT_VERSION)) {
    throw new Error(
      `the data directory ${dataDir} has format version ${state["format"] ?? "unknown"}, and ` +
        `this version of Tally reads format versions up to ${FORMAT_VERSION}; nothing was changed`,
    );
  }
  const { revision, reserved } = state;
  if (Number.isSafeInteger(revision) && Number.isSafeInteger(reserved)) {
    return { revision: Number(revision), reserved: Number(reserved) };
  }
  throw new Error(`the data directory ${dataDir} has no readable revision; nothing was changed`);
}

function parseRecord(record: Buffer | undefined): { readonly [field: string]: unknown } {
  try {
    return Object(JSON.parse(record?.toString("utf8") ?? "{}"));
  } catch {
    return {};
  }
}
