/** Reports a run as lines: the output of its items, failures, and a progress line now and then. */
import type { AttemptEnd, ItemAttempt } from "../follow/attempt.ts";
import type { RunBook } from "../follow/run-book.ts";
import type { ItemOutput } from "./item-output.ts";
import { failureText, mayBeRetried, type RunWords, retryText } from "./item-text.ts";
import { addSample, formatCount, formatRate, formatTime, paceOf, type Sample } from "./progress.ts";
import type { Reporter, RunConsole } from "./reporter.ts";
import { type Summary, summaryLines } from "./summary.ts";

export interface LineOptions {
  readonly console: RunConsole;
  readonly words: RunWords;
  readonly output: (remark: (end: AttemptEnd) => string) => ItemOutput;
  readonly nowMs: () => number;
  /** Print only the output of items, and failures. */
  readonly isQuiet: boolean;
}

/** Progress lines: the first after 10 s, then less and less often, at most every minute. */
const FIRST_LINE_MS = 10_000;
const MOST_BETWEEN_MS = 60_000;

export class LineReporter implements Reporter {
  private readonly output: ItemOutput;
  private samples: readonly Sample[] = [];
  private nextLineMs: number;
  private betweenMs = FIRST_LINE_MS;

  constructor(private readonly options: LineOptions) {
    this.nextLineMs = options.nowMs() + FIRST_LINE_MS;
    this.output = options.output((end) =>
      end.outcome === "Failed" ? `tally: ${failureText(end, options.words)}` : "",
    );
  }

  begun(book: RunBook): void {
    const { name } = this.options.words;
    const { total, job } = book;
    const count =
      total === undefined ? "" : `: ${formatCount(total)} item${total === 1 ? "" : "s"}`;
    const before = book.succeeded > 0 ? `, ${formatCount(book.succeeded)} done before` : "";
    this.say(`${name}${count}${before}, ${job?.spec.parallelism ?? 1} at a time`);
  }

  started(_: ItemAttempt): void {}

  failedOnce(end: AttemptEnd): void {
    const { words } = this.options;
    if (mayBeRetried(end, words)) this.say(retryText(end, words));
  }

  ended(end: AttemptEnd): void {
    this.output.add(end);
  }

  progress(book: RunBook): void {
    const atMs = this.options.nowMs();
    const now = { atMs, done: book.succeeded + book.failed };
    this.samples = addSample(this.samples, now);
    if (atMs < this.nextLineMs || book.isFinished) return;
    this.betweenMs = Math.min(MOST_BETWEEN_MS, this.betweenMs * 2);
    this.nextLineMs = atMs + this.betweenMs;
    this.say(progressText(book, this.samples, now, this.options.words));
  }

  notice(text: string): void {
    this.options.console.writeError(`tally: ${text}\n`);
  }

  async finish(summary: Summary): Promise<void> {
    await this.output.finish();
    const lines = summaryLines(summary, this.options.words);
    if (this.options.isQuiet && summary.exitCode === 0) return;
    this.options.console.writeError(`tally: ${lines.join("\n")}\n`);
  }

  close(): void {}

  private say(text: string): void {
    if (!this.options.isQuiet) this.notice(text);
  }
}

function progressText(
  book: RunBook,
  samples: readonly Sample[],
  now: Sample,
  { name }: RunWords,
): string {
  const { total } = book;
  const { rate, remainingMs } = paceOf(samples, now, total);
  const parts = [
    `${formatCount(now.done)}${total === undefined ? "" : ` of ${formatCount(total)}`}`,
  ];
  if (book.failed > 0) parts.push(`${formatCount(book.failed)} failed`);
  parts.push(`${book.active} running`);
  if (rate !== undefined) parts.push(formatRate(rate));
  if (remainingMs !== undefined) parts.push(`${formatTime(remainingMs)} left`);
  return `${name}: ${parts.join(", ")}`;
}
