/** What the store asks of a disk. */
import { sortedTree } from "./sorted-tree.ts";
import type { Note } from "./types.ts";

/** The difference between two states: the last state of each object touched in between. */
export interface JournalBatch extends JournalState {
  readonly puts: readonly (readonly [key: string, bytes: Uint8Array])[];
  readonly deletes: readonly string[];
  /** By key; undefined removes the note. */
  readonly notes: ReadonlyMap<string, Uint8Array | undefined>;
  /**
   * Whether all that is new in it is that something is gone: it may use the last room there is,
   * though it may have to repeat what a failed batch left uncertain.
   */
  readonly makesRoom?: boolean;
}

export interface JournalState {
  /** The revision the objects show. */
  readonly revision: number;
  /**
   * No revision above this one is given out before a later batch says so. After a crash the store
   * goes on above it: a revision that was given out, synced or not, never means something else.
   */
  readonly reserved: number;
}

export interface JournalContents extends JournalState {
  /** To be read once, before the first append. */
  readonly objects: Iterable<readonly [key: string, bytes: Uint8Array]>;
}

/**
 * 1. A batch is there as a whole or not at all, and never without all batches before it.
 * 2. It is synced when append resolves. When append rejects it is not to be counted on, but it may
 *    be found again: the next batch repeats what must hold.
 * 3. One append at a time. After a rejected one the next may be tried, without reopening.
 */
export interface Journal extends NoteStorage {
  /** Undefined if nothing was ever appended. */
  load(): Promise<JournalContents | undefined>;
  append(batch: JournalBatch): Promise<void>;
  close(): Promise<void>;
}

/** Notes stay where they are until someone asks: what was appended is found. */
export interface NoteStorage {
  findNote(key: string): Uint8Array | undefined;
  /** In order of key. To be read in one go, without an await. */
  notesFrom(key: string): Iterable<Note>;
}

/** For a store that lives in memory only. */
export function memoryJournal(): Journal {
  const notes = sortedTree<Uint8Array>();
  return {
    load: async () => undefined,
    append: async (batch) => {
      for (const [key, bytes] of batch.notes) {
        if (bytes) notes.set(key, bytes);
        else notes.delete(key);
      }
    },
    findNote: (key) => notes.get(key),
    *notesFrom(from) {
      for (const [key, bytes] of notes.entries(from)) yield { key, bytes };
    },
    close: async () => {},
  };
}
