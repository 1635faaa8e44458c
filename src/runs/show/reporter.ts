/** Reports a run to the user: as lines, as JSON or on a screen. */
import type { AttemptEnd, ItemAttempt } from "../follow/attempt.ts";
import type { RunBook } from "../follow/run-book.ts";
import type { Summary } from "./summary.ts";

/** Running items may finish ("stopping"), or are ended ("ending"). */
export type StopState = "stopping" | "ending";

export interface Reporter {
  begun(book: RunBook): void;
  started(attempt: ItemAttempt): void;
  /** It may be retried. */
  failedOnce(end: AttemptEnd): void;
  ended(end: AttemptEnd): void;
  /** After each batch of events, and at intervals. */
  progress(book: RunBook): void;
  /** A message for the user; with a state if the run is being stopped. */
  notice(text: string, state?: StopState): void;
  /** Resolves when everything is written and the terminal is restored. */
  finish(summary: Summary): Promise<void>;
  /** Restores the terminal in any case. */
  close(): void;
}

/** The streams to write to. Promises resolve when more can be written. */
export interface RunConsole {
  readonly writeBytes: (bytes: Uint8Array) => Promise<void>;
  readonly writeErrorBytes: (bytes: Uint8Array) => Promise<void>;
  readonly writeError: (text: string) => void;
}
