/**
 * Group commit: while one batch is being synced, new changes collect for the next batch. The first
 * change after a pause is written at once. If the journal fails, all changes that are not on disk
 * yet are handed back to the store, which undoes them.
 */
import type { KubeObject } from "../api/object.ts";
import type { Journal, JournalBatch } from "./journal.ts";
import { type NoteChanges, Notes } from "./notes.ts";
import { formatKey } from "./stored-object.ts";
import { type Change, type Note, type NoteRange, type ObjectKey, StorageFailed } from "./types.ts";

export interface CommitQueueOptions {
  readonly journal: Journal;
  /** Revisions up to this one may be assigned. */
  readonly reserved: number;
  readonly reserveSize: number;
  readonly encode: (object: KubeObject) => Uint8Array;
  /** The newest revision, needed for a batch without changes. */
  readonly newest: () => number;
  readonly onSynced: (revision: number, changes: readonly Change[]) => void;
  readonly onLost: (lost: readonly LostState[], error: StorageFailed) => void;
}

/** The state of an object on disk; `durable` is undefined if the object is not on disk. */
export interface LostState {
  readonly key: ObjectKey;
  readonly durable: KubeObject | undefined;
}

export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #notes: Notes;
  readonly #full: Segment[] = [];
  #open = newSegment();
  #reserved: number;
  #mustReserve = false;
  #isRunning = false;
  #isTogether = false;
  #lastRun: Promise<void> = Promise.resolve();

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#notes = new Notes(options.journal);
    this.#reserved = options.reserved;
  }

  get reserved(): number {
    return this.#reserved;
  }

  /** All changes that `write` records go into one batch, whatever its size. */
  together<T>(write: () => T): T {
    if (this.#isTogether) return write();
    this.#isTogether = true;
    try {
      return write();
    } finally {
      this.#isTogether = false;
    }
  }

  record(change: Change, notes: readonly Note[]): void {
    if (!this.#isTogether && !fits(this.#open, change)) {
      this.#full.push(this.#open);
      this.#open = newSegment();
    }
    add(this.#open, change);
    for (const { key, bytes } of notes) this.#notes.record(this.#open.notes, key, bytes);
    this.#start();
  }

  listNotes(range: NoteRange): Note[] {
    return this.#notes.list(range);
  }

  removeNotes(keys: readonly string[]): Promise<void> {
    const { notes, removals } = this.#open;
    for (const key of keys) this.#notes.record(notes, key, undefined);
    const removed = new Promise<void>((resolve, reject) => removals.push({ resolve, reject }));
    this.#start();
    return removed;
  }

  /** Reserves more revisions on disk even if there is nothing to write. */
  reserve(): void {
    this.#mustReserve = true;
    this.#start();
  }

  /** Settles when everything recorded so far was synced or undone. */
  async idle(): Promise<void> {
    while (this.#isRunning) await this.#lastRun;
  }

  /**
   * To be called after idle(): no revision above this one was assigned, so the next start need not
   * skip any.
   */
  async seal(revision: number): Promise<void> {
    const segment = { ...this.#open, revision };
    await this.#options.journal.append({ ...this.#toBatch(segment), reserved: revision });
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#lastRun = this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      // Wait one turn, so that writes made in response to a write, or to a sync, join this batch.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const segment = this.#next();
      if (!segment) break;
      let held: NoteChanges = new Map();
      try {
        held = this.#notes.before(segment.notes);
        const batch = this.#toBatch(segment);
        await this.#options.journal.append(batch);
        this.#reserved = batch.reserved;
      } catch (cause) {
        this.#lose(segment, held, toStorageFailed(cause));
        return;
      }
      this.#notes.synced(segment.notes);
      for (const removal of segment.removals) removal.resolve();
      this.#options.onSynced(segment.revision, segment.changes);
    }
    this.#isRunning = false;
  }

  #next(): Segment | undefined {
    const full = this.#full.shift();
    if (full) return full;
    const segment = this.#open;
    const isIdle = segment.changes.length === 0 && segment.removals.length === 0;
    if (isIdle && !this.#mustReserve) return undefined;
    if (segment.changes.length === 0) segment.revision = this.#options.newest();
    this.#open = newSegment();
    this.#mustReserve = false;
    return segment;
  }

  #toBatch(segment: Segment): JournalBatch {
    const puts: [string, Uint8Array][] = [];
    const deletes: string[] = [];
    for (const [key, { current }] of segment.entries) {
      if (current) puts.push([key, this.#options.encode(current)]);
      else deletes.push(key);
    }
    const { revision, notes } = segment;
    const { reserveSize } = this.#options;
    const isShort = this.#reserved - revision < reserveSize / 2;
    const reserved = isShort ? revision + reserveSize : this.#reserved;
    const makesRoom = segment.changes.every(({ type }) => type === "DELETED");
    return { revision, reserved, puts, deletes, notes, makesRoom };
  }

  /**
   * It is uncertain what the journal now holds of the failed segments. The next batch therefore
   * starts with the states that must be on disk for every object and note in them.
   */
  #lose(failed: Segment, held: NoteChanges, error: StorageFailed): void {
    const lost = new Map<string, Entry>();
    const segments = [failed, ...this.#full, this.#open];
    for (const { entries } of segments) {
      for (const [key, { object, durable }] of entries) {
        if (!lost.has(key)) lost.set(key, { object, durable, current: durable });
      }
    }
    this.#full.length = 0;
    this.#open = { ...newSegment(), entries: lost, notes: this.#notes.lost(held) };
    // Listeners may write while the changes are undone. Those writes must start a new batch.
    this.#isRunning = false;
    const states = [...lost.values()].map(({ object, durable }) => ({ key: object, durable }));
    this.#options.onLost(states, error);
    for (const { removals } of segments) for (const removal of removals) removal.reject(error);
  }
}

/** Changes that go to disk as one batch, with the first and the last state of each object. */
interface Segment {
  revision: number;
  readonly entries: Map<string, Entry>;
  readonly changes: Change[];
  readonly notes: NoteChanges;
  /** Callers that wait until their notes are removed from disk. */
  readonly removals: { readonly resolve: () => void; readonly reject: (error: Error) => void }[];
}

interface Entry {
  readonly object: ObjectKey;
  readonly durable: KubeObject | undefined;
  current: KubeObject | undefined;
}

/** Limits how long encoding one batch can block the process. */
const SEGMENT_SIZE = 1024;

function newSegment(): Segment {
  return { revision: 0, entries: new Map(), changes: [], notes: new Map(), removals: [] };
}

function fits({ entries, changes }: Segment, { key }: Change): boolean {
  return entries.size < SEGMENT_SIZE || changes.length === 0 || entries.has(formatKey(key));
}

function add(segment: Segment, change: Change): void {
  const key = formatKey(change.key);
  const current = change.type === "DELETED" ? undefined : change.object;
  const entry = segment.entries.get(key);
  if (entry) entry.current = current;
  else segment.entries.set(key, { object: change.key, durable: change.previous, current });
  segment.changes.push(change);
  segment.revision = change.revision;
}

function toStorageFailed(cause: unknown): StorageFailed {
  if (cause instanceof StorageFailed) return cause;
  const problem = cause instanceof Error ? cause.message : String(cause);
  return new StorageFailed(`the journal failed: ${problem}`, { cause });
}
