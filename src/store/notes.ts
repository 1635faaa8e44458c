/**
 * Notes: small values that a change leaves beside the objects, written to disk in the same batch.
 * Memory holds only the notes that are not on disk yet. Reads merge them with the notes on disk, so
 * that a reader that sees a change also sees its notes.
 */
import type { NoteStorage } from "./journal.ts";
import { entriesWithPrefix, sortedTree } from "./sorted-tree.ts";
import { MAX_KEY_BYTES } from "./stored-object.ts";
import type { Note, NoteRange } from "./types.ts";

/** The note changes of one batch, by key; undefined removes the note. */
export type NoteChanges = Map<string, Uint8Array | undefined>;

interface Pending {
  readonly bytes: Uint8Array | undefined;
  /** The batch that writes this note. */
  readonly batch: NoteChanges;
}

export class Notes {
  readonly #storage: NoteStorage;
  readonly #pending = sortedTree<Pending>();
  /** Notes of a failed batch: the values that must be on disk, but may not be. */
  readonly #uncertain: NoteChanges = new Map();

  constructor(storage: NoteStorage) {
    this.#storage = storage;
  }

  record(batch: NoteChanges, key: string, bytes: Uint8Array | undefined): void {
    batch.set(key, bytes);
    this.#pending.set(key, { bytes, batch });
  }

  list({ prefix, from = prefix, limit }: NoteRange): Note[] {
    const start = from > prefix ? from : prefix;
    const pending = entriesWithPrefix(this.#pending, prefix, undefined, start);
    const found: Note[] = [];
    let next = pending.next();
    const takePendingBefore = (key: string | undefined): void => {
      for (; !next.done && found.length < limit; next = pending.next()) {
        const [name, { bytes }] = next.value;
        if (key !== undefined && name >= key) return;
        if (bytes) found.push({ key: name, bytes });
      }
    };
    for (const note of this.#storage.notesFrom(start)) {
      if (!note.key.startsWith(prefix)) break;
      takePendingBefore(note.key);
      if (found.length >= limit) return found;
      if (!this.#pending.has(note.key)) found.push(note);
      if (found.length >= limit) return found;
    }
    takePendingBefore(undefined);
    return found;
  }

  /** The values on disk of the notes that a batch is about to change. */
  before(batch: NoteChanges): NoteChanges {
    const held: NoteChanges = new Map();
    for (const key of batch.keys()) {
      const isUncertain = this.#uncertain.has(key);
      held.set(key, isUncertain ? this.#uncertain.get(key) : this.#storage.findNote(key));
    }
    return held;
  }

  synced(batch: NoteChanges): void {
    this.#uncertain.clear();
    for (const key of batch.keys()) {
      if (this.#pending.get(key)?.batch === batch) this.#pending.delete(key);
    }
  }

  /** Drops all pending notes. The next batch writes the values again that were on disk before. */
  lost(held: NoteChanges): NoteChanges {
    this.#pending.clear();
    for (const [key, bytes] of held) this.#uncertain.set(key, bytes);
    const next: NoteChanges = new Map();
    for (const [key, bytes] of this.#uncertain) this.record(next, key, bytes);
    return next;
  }
}

/** Note keys are ASCII, so that memory and disk sort them in the same order. */
export function isNoteKey(key: string): boolean {
  return key.length > 0 && key.length <= MAX_NOTE_KEY && PLAIN.test(key);
}

const MAX_NOTE_KEY = MAX_KEY_BYTES / 2;
const PLAIN = /^[\0-\x7f]+$/;
