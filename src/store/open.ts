/**
 * Opening a store: lock, recover, reserve revisions. After kill -9 the store is a prefix of the
 * applied changes and contains every change that was reported durable. New revisions start above
 * all that were ever assigned.
 */
import type { KubeObject } from "../api/object.ts";
import { lockDirectory } from "../base/directory-lock.ts";
import { HISTORY_LIMITS, type HistoryLimits } from "./history.ts";
import { type Journal, type JournalContents, memoryJournal } from "./journal.ts";
import { openLmdbJournal } from "./lmdb-journal.ts";
import { ObjectStore, type ObjectStoreOptions } from "./object-store.ts";
import { parseKey, parseObject } from "./stored-object.ts";
import type { IndexDefinitions, NotesOf, ObjectKey, Store } from "./types.ts";

export interface StoreOptions {
  readonly indexes?: IndexDefinitions;
  readonly historyLimits?: Partial<HistoryLimits>;
  /** How many revisions are reserved on disk at a time. */
  readonly reserveSize?: number;
  readonly freeze?: boolean;
  /** The notes that a change leaves beside the objects; by default none. */
  readonly notesOf?: NotesOf;
  readonly report?: (error: unknown) => void;
}

export interface OpenStoreOptions extends StoreOptions {
  readonly dataDir: string;
}

export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const lock = await lockDirectory(options.dataDir);
  try {
    const journal = await openLmdbJournal(options.dataDir);
    return await openOnJournal(journal, options, () => lock.release());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** A store without a disk: writes are durable a moment later. Objects are frozen by default. */
export function openMemoryStore(indexes: IndexDefinitions = {}, options: StoreOptions = {}): Store {
  const reserved = Number.MAX_SAFE_INTEGER;
  const own = { journal: memoryJournal(), revision: FIRST_REVISION, reserved, objects: [] };
  return new ObjectStore({
    ...DEFAULTS,
    freeze: true,
    ...settings({ indexes, ...options }),
    ...own,
  });
}

export async function openOnJournal(
  journal: Journal,
  options: StoreOptions = {},
  release: () => Promise<void> = DEFAULTS.release,
): Promise<Store> {
  try {
    const contents = await journal.load();
    const objects = contents ? parseObjects(contents) : [];
    const revision = contents?.reserved ?? FIRST_REVISION;
    const all = { ...DEFAULTS, ...settings(options) };
    const reserved = revision + all.reserveSize;
    await journal.append({ revision, reserved, ...NOTHING });
    return new ObjectStore({ ...all, journal, revision, reserved, objects, release });
  } catch (error) {
    await journal.close();
    throw error;
  }
}

const NOTHING = { puts: [], deletes: [], notes: new Map(), makesRoom: true };

/** Not 0: in a request, resourceVersion 0 means "any". */
const FIRST_REVISION = 1;

const DEFAULTS = {
  indexes: {},
  historyLimits: HISTORY_LIMITS,
  reserveSize: 1_000_000,
  freeze: false,
  notesOf: () => [],
  report: (error: unknown) => process.emitWarning(error instanceof Error ? error : String(error)),
  release: async () => {},
} as const satisfies Partial<ObjectStoreOptions>;

function settings({ historyLimits, ...rest }: StoreOptions) {
  return { ...rest, historyLimits: { ...HISTORY_LIMITS, ...historyLimits } };
}

function parseObjects({ objects }: JournalContents): [ObjectKey, KubeObject][] {
  const parsed: [ObjectKey, KubeObject][] = [];
  for (const [key, bytes] of objects) parsed.push([parseKey(key), parseObject(key, bytes)]);
  return parsed;
}
