/** The interface between the store and the disk. */
import { sortedTree } from "./sorted-tree.ts";
import type { Note } from "./types.ts";

/** The difference between two states: the last state of each object touched in between. */
export interface JournalBatch extends JournalState {
  readonly puts: readonly (readonly [key: string, bytes: Uint8Array])[];
  readonly deletes: readonly string[];
  /** By key; undefined removes the note. */
  readonly notes: ReadonlyMap<string, Uint8Array | undefined>;
  /**
   * True if all new changes in this batch are deletions: it may then use the reserved disk space.
   * It may still contain puts that repeat what a failed batch left uncertain.
   */
  readonly makesRoom?: boolean;
}

export interface JournalState {
  /** The revision of the stored objects. */
  readonly revision: number;
  /**
   * The store assigns no revision above this one before a later batch raises it. After a crash the
   * store continues above it, so that a revision that was ever assigned, synced or not, is never
   * assigned to another change.
   */
  readonly reserved: number;
}

export interface JournalContents extends JournalState {
  /** Can be read only once, before the first append. */
  readonly objects: Iterable<readonly [key: string, bytes: Uint8Array]>;
}

/**
 * 1. A batch is stored completely or not at all, and never without all batches before it.
 * 2. A batch is synced when append resolves. If append rejects, callers must not rely on the batch,
 *    but it may still be on disk: the next batch repeats the states that must hold.
 * 3. Only one append runs at a time. After a rejected append the next one may be tried without
 *    reopening the journal.
 */
export interface Journal extends NoteStorage {
  /** Undefined if nothing was ever appended. */
  load(): Promise<JournalContents | undefined>;
  append(batch: JournalBatch): Promise<void>;
  close(): Promise<void>;
}

/** Notes are not loaded into memory. Every appended note can be found here. */
export interface NoteStorage {
  findNote(key: string): Uint8Array | undefined;
  /** In order of key. Must be read synchronously, without an await in between. */
  notesFrom(key: string): Iterable<Note>;
}

/** For a store that exists only in memory. */
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
