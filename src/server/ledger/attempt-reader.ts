/** Reads the attempts at the indexes of one Job name from the notes, index by index. */
import type { Attempt } from "../../ledger/attempt.ts";
import { attemptsPrefix, indexPrefix, type JobName, placeOfAttempt } from "../../ledger/keys.ts";
import { type AttemptRecord, parseAttempt } from "../../ledger/records.ts";
import type { Note, StoredObjects } from "../../store/types.ts";

/** Notes are read ahead: few after a jump, and more the longer indexes are read in sequence. */
const FEWEST_NOTES = 8;
const MOST_NOTES = 512;

export class AttemptReader {
  readonly #store: Pick<StoredObjects, "listNotes">;
  readonly #job: JobName;
  readonly #jobs: ReadonlySet<string>;
  readonly #prefix: string;
  #ahead: readonly Note[] = [];
  /**
   * The notes from this key to the last one read ahead (or to the end, if #isWhole) are complete.
   */
  #from = "";
  #isWhole = false;
  #at = 0;
  #count = FEWEST_NOTES;

  /** Only attempts of these Jobs count: others of the same name belong to an earlier story. */
  constructor(store: Pick<StoredObjects, "listNotes">, job: JobName, jobs: ReadonlySet<string>) {
    this.#store = store;
    this.#job = job;
    this.#jobs = jobs;
    this.#prefix = attemptsPrefix(job);
  }

  /**
   * The finished attempts at an index, oldest first, of `jobs` (by default those given at first).
   */
  read(index: number, jobs: ReadonlySet<string> = this.#jobs): Attempt[] {
    const prefix = indexPrefix({ ...this.#job, index });
    this.#seek(prefix);
    const records: AttemptRecord[] = [];
    for (let note = this.#peek(); note?.key.startsWith(prefix); note = this.#peek()) {
      const record = this.#parse(note, jobs);
      if (record) records.push(record);
      this.#at++;
    }
    return records.sort(byAge).map(({ attempt }) => attempt);
  }

  /** The lowest index, at least `from`, that has attempts. */
  nextIndex(from: number): number | undefined {
    this.#seek(indexPrefix({ ...this.#job, index: from }));
    for (let note = this.#peek(); note; note = this.#peek()) {
      if (this.#parse(note, this.#jobs)) return placeOfAttempt(note.key, this.#prefix).index;
      this.#at++;
    }
    return undefined;
  }

  #seek(key: string): void {
    const isAhead = this.#isWhole || key <= (this.#ahead.at(-1)?.key ?? "");
    if (key < this.#from || !isAhead) {
      this.#count = FEWEST_NOTES;
      this.#fill(key);
    }
    if ((this.#ahead[this.#at - 1]?.key ?? "") >= key) this.#at = 0;
    while ((this.#ahead[this.#at]?.key ?? key) < key) this.#at++;
  }

  #peek(): Note | undefined {
    const last = this.#ahead.at(-1);
    if (this.#at >= this.#ahead.length && !this.#isWhole && last) {
      this.#count = Math.min(this.#count * 2, MOST_NOTES);
      this.#fill(`${last.key}\0`);
    }
    return this.#ahead[this.#at];
  }

  #fill(from: string): void {
    this.#ahead = this.#store.listNotes({ prefix: this.#prefix, from, limit: this.#count });
    this.#isWhole = this.#ahead.length < this.#count;
    this.#from = from;
    this.#at = 0;
  }

  #parse({ key, bytes }: Note, jobs: ReadonlySet<string>): AttemptRecord | undefined {
    const { podUID } = placeOfAttempt(key, this.#prefix);
    const record = parseAttempt(bytes, podUID);
    return record && jobs.has(record.attempt.jobUID) ? record : undefined;
  }
}

/** Creation times have whole seconds. Within a second, the attempt that ended first comes first. */
function byAge(one: AttemptRecord, other: AttemptRecord): number {
  if (one.created !== other.created) return one.created < other.created ? -1 : 1;
  return one.revision - other.revision;
}
