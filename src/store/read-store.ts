/**
 * Reads the store on disk, with or without another process that writes it. LMDB shows each reader a
 * state that was committed as a whole. The reader takes no lock, recovers nothing and parses only
 * the objects that are requested, so that a Job can be read quickly beside a list of a million
 * items.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "../api/object.ts";
import { ensureOwnDirectory } from "../base/own-directory.ts";
import {
  DATABASE_FILE,
  type Database,
  isDatabase,
  NOTE_PREFIX,
  NOTES_END,
  noteKey,
  openDatabase,
  parseState,
  STATE_KEY,
} from "./lmdb-database.ts";
import { formatKey, parseObject } from "./stored-object.ts";
import type { Note, NoteRange, ObjectKey, StoredObjects } from "./types.ts";

export interface StoreReader extends StoredObjects {
  /** Can be called twice. Must be closed before this process opens the store for writing. */
  close(): Promise<void>;
}

/** Undefined if nothing was ever stored. */
export async function openStoreReader(dataDir: string): Promise<StoreReader | undefined> {
  if (!ensureOwnDirectory(dataDir)) return undefined;
  const path = join(dataDir, "store");
  const file = join(path, DATABASE_FILE);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return undefined;
  if (!(await isDatabase(file, size))) throw new Error(`${file} is not a database`);
  const database = openDatabase(path, { readOnly: true });
  const record = database.get(STATE_KEY);
  if (record === undefined) {
    await database.close();
    return undefined;
  }
  parseState(dataDir, record);
  let closing: Promise<void> | undefined;
  return {
    get: (key) => getObject(database, key),
    list: (resource, { namespace = "" } = {}) => ({
      items: objectsWith(database, `${resource}\0${namespace}${namespace && "\0"}`),
    }),
    listNotes: (range) => listNotes(database, range),
    close: () => {
      closing ??= database.close();
      return closing;
    },
  };
}

function getObject(database: Database, key: ObjectKey): KubeObject | undefined {
  const text = formatKey(key);
  const bytes = database.get(Buffer.from(text));
  return bytes && parseObject(text, bytes);
}

function objectsWith(database: Database, prefix: string): KubeObject[] {
  const start = Buffer.from(prefix);
  const found: KubeObject[] = [];
  for (const { key, value } of database.getRange({ start })) {
    if (!key.subarray(0, start.length).equals(start)) break;
    found.push(parseObject(key.toString("utf8"), value));
  }
  return found;
}

function listNotes(database: Database, { prefix, from = prefix, limit }: NoteRange): Note[] {
  const start = noteKey(from > prefix ? from : prefix);
  const notes: Note[] = [];
  for (const { key, value } of database.getRange({ start, end: NOTES_END, limit })) {
    const name = key.toString("latin1", NOTE_PREFIX.length);
    if (!name.startsWith(prefix)) break;
    notes.push({ key: name, bytes: value });
  }
  return notes;
}
