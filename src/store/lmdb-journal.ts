/**
 * The journal on LMDB: one entry per object, one per note and one for the state, changed in one
 * transaction. Notes are in the same tree as objects, before all of them, so that lmdb's page
 * statistics include the notes.
 *
 * overlappingSync is off: a transaction then resolves only after its pages were written and
 * fdatasync'ed, and after the page that makes them valid was written through O_DSYNC. With the
 * default, on, lmdb promises only that a resolved write is visible. sync-order.test.ts checks this
 * order by watching the system calls.
 */
import { statSync } from "node:fs";
import { mkdir, open as openFile, rename, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { extendFile, fileSizeNeeded, type PageStats } from "./disk-room.ts";
import type { Journal, JournalBatch, JournalContents, JournalState } from "./journal.ts";
import {
  DATABASE_FILE,
  type Database,
  FIRST_OBJECT,
  FORMAT_VERSION,
  isDatabase,
  NOTE_PREFIX,
  NOTES_END,
  noteKey,
  openDatabase,
  parseState,
  STATE_KEY,
} from "./lmdb-database.ts";
import { type Note, StorageFailed } from "./types.ts";

export async function openLmdbJournal(dataDir: string): Promise<Journal> {
  const path = beginsAnew(dataDir) ? join(dataDir, UNBORN) : join(dataDir, STORE);
  if (beginsAnew(dataDir)) await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true, mode: 0o700 });
  await refuseUnusable(dataDir, path);
  const journal = new LmdbJournal(dataDir, path);
  // After a power failure a file is missing if its directory entry was not synced.
  for (const directory of [path, dataDir, dirname(dataDir)]) await syncDirectory(directory);
  return journal;
}

const STORE = "store";
/**
 * The directory of a new database until its first batch is synced. If the power fails before that,
 * the file may not be a valid database. No client was told of anything in it, so the next start
 * deletes it and creates a new one.
 */
const UNBORN = "store.new";

function beginsAnew(dataDir: string): boolean {
  return sizeOf(join(dataDir, STORE, DATABASE_FILE)) === undefined;
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

type Put = readonly [key: Buffer, bytes: Buffer];

interface Writes {
  readonly puts: readonly Put[];
  readonly deletes: readonly Buffer[];
  readonly makesRoom: boolean;
}

class LmdbJournal implements Journal {
  readonly #dataDir: string;
  readonly #file: string;
  #path: string;
  #database: Database | undefined;
  #fileSize: number;
  #isAbandoning = false;

  constructor(dataDir: string, path: string) {
    this.#dataDir = dataDir;
    this.#path = path;
    this.#database = openDatabase(path);
    this.#file = identityOf(path);
    this.#fileSize = statSync(join(path, DATABASE_FILE)).size;
  }

  async load(): Promise<JournalContents | undefined> {
    const database = this.#opened();
    const record = database.get(STATE_KEY);
    if (record === undefined && database.getKeysCount({ limit: 1 }) === 0) return undefined;
    const state = parseState(this.#dataDir, record);
    return { ...state, objects: objectsIn(database) };
  }

  async append(batch: JournalBatch): Promise<void> {
    const state = formatState(batch);
    // Convert before the transaction starts: one that throws halfway would still be committed.
    const writes = toWrites(batch);
    const { puts, deletes } = writes;
    try {
      const database = this.#opened();
      await this.#makeRoom(database, writes);
      await database.batch(() => {
        for (const [key, bytes] of puts) database.put(key, bytes);
        for (const key of deletes) database.remove(key);
        database.put(STATE_KEY, state);
      });
      await this.#ensureBorn();
    } catch (error) {
      const size = puts.reduce((sum, [, bytes]) => sum + bytes.length, 0);
      await this.#abandon();
      throw await explain(error, this.#dataDir, size);
    }
  }

  findNote(key: string): Uint8Array | undefined {
    return this.#opened().get(noteKey(key));
  }

  *notesFrom(key: string): Generator<Note> {
    const range = { start: noteKey(key), end: NOTES_END };
    for (const { key: found, value } of this.#opened().getRange(range)) {
      yield { key: found.toString("latin1", NOTE_PREFIX.length), bytes: value };
    }
  }

  async #makeRoom(database: Database, writes: Writes): Promise<void> {
    const { puts, deletes, makesRoom } = writes;
    const putSizes = puts.map(([key, bytes]) => key.length + bytes.length);
    const stats = database.getStats() as PageStats;
    const needed = fileSizeNeeded(stats, { putSizes, deletes: deletes.length, makesRoom });
    if (needed <= this.#fileSize) return;
    this.#fileSize = await extendFile(join(this.#path, DATABASE_FILE), needed);
  }

  async #ensureBorn(): Promise<void> {
    const place = join(this.#dataDir, STORE);
    if (this.#path === place) return;
    await rm(place, { recursive: true, force: true });
    await rename(this.#path, place);
    this.#path = place;
    await syncDirectory(this.#dataDir);
  }

  async close(): Promise<void> {
    const database = this.#database;
    this.#database = undefined;
    await database?.close();
  }

  #opened(): Database {
    if (this.#database) return this.#database;
    if (this.#isAbandoning) throw new StorageFailed(`${this.#dataDir} is being opened again`);
    // If the directory was removed or unmounted, lmdb would create an empty database there, and the
    // old data would be lost.
    if (identityOf(this.#path) !== this.#file) throw new Error("the database is no longer there");
    this.#database = openDatabase(this.#path);
    return this.#database;
  }

  /**
   * After some errors LMDB rejects all work, and waits forever for a transaction that it cannot
   * begin. So after any error the next append opens the database again.
   */
  async #abandon(): Promise<void> {
    this.#isAbandoning = true;
    await this.close().catch(() => {});
    this.#isAbandoning = false;
  }
}

function identityOf(path: string): string {
  const found = statSync(join(path, DATABASE_FILE), { throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : "";
}

/** lmdb crashes the whole process in these cases, so they are rejected before it opens the file. */
async function refuseUnusable(dataDir: string, path: string): Promise<void> {
  const database = join(path, DATABASE_FILE);
  const size = sizeOf(database);
  if (size !== undefined && !(await isDatabase(database, size))) {
    throw new Error(`${database} is not a database, or is incomplete; nothing was changed`);
  }
  const isNew = !statSync(join(path, "lock.mdb"), { throwIfNoEntry: false });
  if (isNew && (await freeBytes(dataDir)) < PAGES_OF_A_COMMIT) {
    throw new StorageFailed(`no space left on ${dataDir}`);
  }
}

function toWrites({ puts, deletes, notes, makesRoom = false }: JournalBatch): Writes {
  const put = puts.map(([key, bytes]): Put => [Buffer.from(key), toBuffer(bytes)]);
  const deleted: Buffer[] = deletes.map((key) => Buffer.from(key));
  for (const [key, bytes] of notes) {
    if (bytes) put.push([noteKey(key), toBuffer(bytes)]);
    else deleted.push(noteKey(key));
  }
  return { puts: put, deletes: deleted, makesRoom };
}

function* objectsIn(database: Database): Generator<[string, Buffer]> {
  for (const { key, value } of database.getRange({ start: FIRST_OBJECT })) {
    yield [key.toString("utf8"), value];
  }
}

function formatState({ revision, reserved }: JournalState): Buffer {
  return Buffer.from(JSON.stringify({ format: FORMAT_VERSION, revision, reserved }));
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await openFile(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

const PROBLEMS: Readonly<Record<number, string>> = {
  5: "input/output error",
  28: "no space left",
  30: "read-only file system",
  122: "disk quota exceeded",
};

async function explain(error: unknown, dataDir: string, size: number): Promise<StorageFailed> {
  const cause = await rootCause(error);
  const code = await refineCode(cause, dataDir, size);
  const problem = PROBLEMS[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new StorageFailed(`${problem} on ${dataDir}`, { cause });
}

/** If a transaction fails, lmdb rejects with an error that carries the reason as a promise. */
async function rootCause(error: unknown): Promise<unknown> {
  const reason = (error as { commitError?: Promise<never> }).commitError;
  if (!reason) return error;
  return reason.then(
    () => error,
    (cause: unknown) => cause,
  );
}

const EIO = 5;
const ENOSPC = 28;

/** If a write is cut short, for example by a full disk, LMDB reports an input/output error. */
async function refineCode(cause: unknown, dataDir: string, size: number): Promise<number> {
  const { errno, code: lmdbCode } = Object(cause) as { errno?: number; code?: unknown };
  const code = errno === undefined ? Number(lmdbCode ?? 0) : -errno;
  if (code !== EIO) return code;
  return (await freeBytes(dataDir)) < 2 * size + PAGES_OF_A_COMMIT ? ENOSPC : code;
}

async function freeBytes(path: string): Promise<number> {
  return statfs(path).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Number.POSITIVE_INFINITY,
  );
}

/** The space that a commit needs besides its values, generously estimated. */
const PAGES_OF_A_COMMIT = 64 * 4096;
