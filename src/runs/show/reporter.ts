/** What a run tells whoever started it, in one of three ways: as text, as JSON, on a screen. */
import type { AttemptEnd, TaskAttempt } from "../follow/attempt.ts";
import type { RunBook } from "../follow/run-book.ts";
import type { Summary } from "./summary.ts";

export interface Reporter {
  begun(book: RunBook): void;
  started(attempt: TaskAttempt): void;
  /** To be tried again, perhaps. */
  failedOnce(end: AttemptEnd): void;
  ended(end: AttemptEnd): void;
  /** After each batch of news, and now and then. */
  progress(book: RunBook): void;
  /** Something the user should know now. */
  notice(text: string): void;
  /** Everything is written when it settles, and the terminal is as it was. */
  finish(summary: Summary): Promise<void>;
  /** Whatever happens: the terminal is as it was. */
  close(): void;
}

/** Where it is written to. Promises settle when there is room for more. */
export interface RunConsole {
  readonly writeBytes: (bytes: Uint8Array) => Promise<void>;
  readonly writeErrorBytes: (bytes: Uint8Array) => Promise<void>;
  readonly writeError: (text: string) => void;
}
