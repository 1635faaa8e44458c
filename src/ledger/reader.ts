/** Pure: the interface for reading the ledger, in the engine's process or over its socket. */
import type { Attempt } from "./attempt.ts";
import type { IndexState } from "./index-states.ts";
import type { JobName } from "./keys.ts";

/** One index of a Job: its state, and every attempt at it. */
export interface IndexStory {
  readonly index: number;
  readonly state: IndexState;
  readonly attempts: readonly Attempt[];
}

export interface StoryQuery {
  /** Only indexes in this state; by default all. */
  readonly state?: IndexState;
  /** The `next` value of the previous page. */
  readonly from?: string;
  readonly limit?: number;
}

export interface StoryWish {
  /** The answer includes all attempts that the Job had counted at this revision. */
  readonly since?: string;
}

export interface StoryPage {
  readonly items: readonly IndexStory[];
  /** Absent on the last page. A page may be empty and still have a next one. */
  readonly next?: string;
}

export interface LedgerReader {
  /** Pages in order of index. Rejects with NotFound if no Job of that name ever existed. */
  list(job: JobName, query?: StoryQuery): Promise<StoryPage>;
  /** Undefined if the Job has no such index. */
  find(job: JobName, index: number, asked?: StoryWish): Promise<IndexStory | undefined>;
}
