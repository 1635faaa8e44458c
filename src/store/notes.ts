/**
 * Notes: small values that a change leaves beside the objects, written to disk in the same batch.
 * They are not kept in memory: only those that the disk does not hold yet are, laid over what it
 * has, so that a reader sees the notes of every change it sees.
 */
import type { NoteStorage } from "./journal.ts";
import { entriesWithPrefix, sortedTree } from "./sorted-tree.ts";
import { MAX_KEY_BYTES } from "./stored-object.ts";
import type { Note, NoteRange } from "./types.ts";

/** What one batch says of notes, by key: undefined for those it removes. */
export type NoteChanges = Map<string, Uint8Array | undefined>;

interface Pending {
  readonly bytes: Uint8Array | undefined;
  /** The batch that will write it. */
  readonly batch: NoteChanges;
}

export class Notes {
  readonly #storage: NoteStorage;
  readonly #pending = sortedTree<Pending>();
  /** What the disk must hold of a batch that failed, and may not. */
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

  /** What the disk holds of the notes a batch is about to change. */
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

  /** Nothing that was pending will be written; the next batch repeats what was held. */
  lost(held: NoteChanges): NoteChanges {
    this.#pending.clear();
    for (const [key, bytes] of held) this.#uncertain.set(key, bytes);
    const next: NoteChanges = new Map();
    for (const [key, bytes] of this.#uncertain) this.record(next, key, bytes);
    return next;
  }
}

/** Notes have plain keys, so that memory and disk order them alike. */
export function isNoteKey(key: string): boolean {
  return key.length > 0 && key.length <= MAX_NOTE_KEY && PLAIN.test(key);
}

const MAX_NOTE_KEY = MAX_KEY_BYTES / 2;
const PLAIN = /^[\0-\x7f]+$/;
