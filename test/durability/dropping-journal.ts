/** A journal on a simulated disk: the test decides every sync, failure and power cut. */
import type { Journal, JournalBatch, JournalContents } from "../../src/store/journal.ts";
import type { Note } from "../../src/store/types.ts";

export class DroppingJournal implements Journal {
  readonly #disk: Disk;
  #isAutomatic: boolean;
  #waiting: Waiting | undefined;
  #isDead = false;

  constructor(options: { readonly isAutomatic?: boolean } = {}, disk: Disk = newDisk()) {
    this.#disk = disk;
    this.#isAutomatic = options.isAutomatic ?? false;
  }

  /** Whether a batch is being written. */
  get isWriting(): boolean {
    return this.#waiting !== undefined;
  }

  set isAutomatic(isAutomatic: boolean) {
    this.#isAutomatic = isAutomatic;
    if (isAutomatic) this.sync();
  }

  async load(): Promise<JournalContents | undefined> {
    const { state, objects } = this.#disk;
    return state && { ...state, objects: [...objects] };
  }

  append(batch: JournalBatch): Promise<void> {
    if (this.#waiting) throw new Error("the store appended while an append was under way");
    return new Promise((resolve, reject) => {
      this.#waiting = { batch, resolve, reject };
      if (this.#isAutomatic) this.sync();
    });
  }

  sync(): void {
    const waiting = this.#take();
    if (!waiting) return;
    this.#write(waiting.batch);
    waiting.resolve();
  }

  /** Makes the append fail. `isWritten` says whether the batch is on disk anyway. */
  fail(error: Error, options: { readonly isWritten?: boolean } = {}): void {
    const waiting = this.#take();
    if (!waiting) return;
    if (options.isWritten) this.#write(waiting.batch);
    waiting.reject(error);
  }

  /**
   * Cuts the power: a batch in progress is lost, or is on disk although nobody was told. Returns
   * the journal that the next process finds.
   */
  kill(options: { readonly isWritten?: boolean } = {}): DroppingJournal {
    const waiting = this.#take();
    if (waiting && options.isWritten) this.#write(waiting.batch);
    this.#isDead = true;
    return new DroppingJournal({ isAutomatic: this.#isAutomatic }, this.#disk);
  }

  findNote(key: string): Uint8Array | undefined {
    return this.#disk.notes.get(key);
  }

  *notesFrom(from: string): Generator<Note> {
    for (const key of [...this.#disk.notes.keys()].sort()) {
      const bytes = this.#disk.notes.get(key);
      if (key >= from && bytes) yield { key, bytes };
    }
  }

  async close(): Promise<void> {}

  #take(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #write({ revision, reserved, puts, deletes, notes }: JournalBatch): void {
    if (this.#isDead) throw new Error("a dead process writes");
    this.#disk.state = { revision, reserved };
    for (const [key, bytes] of puts) this.#disk.objects.set(key, Buffer.from(bytes));
    for (const key of deletes) this.#disk.objects.delete(key);
    for (const [key, bytes] of notes) {
      if (bytes) this.#disk.notes.set(key, Buffer.from(bytes));
      else this.#disk.notes.delete(key);
    }
  }
}

interface Disk {
  state: { readonly revision: number; readonly reserved: number } | undefined;
  readonly objects: Map<string, Buffer>;
  readonly notes: Map<string, Buffer>;
}

interface Waiting {
  readonly batch: JournalBatch;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

function newDisk(): Disk {
  return { state: undefined, objects: new Map(), notes: new Map() };
}
