/** Pure: the contract of whoever reads the ledger, in the engine's process or over its socket. */
import type { Attempt } from "./attempt.ts";
import type { IndexState } from "./index-states.ts";
import type { JobName } from "./keys.ts";

/** One index of a Job: how it stands, and every attempt at it. */
export interface IndexStory {
  readonly index: number;
  readonly state: IndexState;
  readonly attempts: readonly Attempt[];
}

export interface StoryQuery {
  /** Absent: whatever their state. */
  readonly state?: IndexState;
  /** The `next` of the page before. */
  readonly from?: string;
  readonly limit?: number;
}

export interface StoryWish {
  /** The answer includes all attempts that the Job had counted at this revision. */
  readonly since?: string;
}

export interface StoryPage {
  readonly items: readonly IndexStory[];
  /** Absent: there is no more. A page may be empty and still have a next one. */
  readonly next?: string;
}

export interface LedgerReader {
  /** In the order of the indexes. Rejects with a NotFound where no such Job ever was. */
  list(job: JobName, query?: StoryQuery): Promise<StoryPage>;
  /** Undefined where the Job has no such index. */
  find(job: JobName, index: number, asked?: StoryWish): Promise<IndexStory | undefined>;
}
