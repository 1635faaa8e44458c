/** Reports a run on a terminal: a live screen, with the output of items and failures above it. */
import type { AttemptEnd, ItemAttempt } from "../../follow/attempt.ts";
import { isPaused, parallelismOf } from "../../follow/control.ts";
import type { RunControls } from "../../follow/follow-run.ts";
import type { RunBook } from "../../follow/run-book.ts";
import type { AttemptLogs } from "../attempt-logs.ts";
import type { ItemOutput } from "../item-output.ts";
import { failureText, itemText, mayBeRetried, type RunWords, retryText } from "../item-text.ts";
import { addSample, paceOf, type Sample } from "../progress.ts";
import type { Reporter, RunConsole, StopState } from "../reporter.ts";
import { type Summary, summaryLines } from "../summary.ts";
import { lastLine, printable } from "./cut.ts";
import { Painter } from "./painter.ts";
import { paintLine, type RunView, roomForItems, roomForLog, viewRun } from "./view.ts";

export interface Terminal {
  readonly size: () => readonly [columns: number, rows: number];
  readonly write: (text: string) => void;
  readonly onKey: (listener: (key: string) => void) => (() => void) | undefined;
  readonly isColored: boolean;
}

export interface ScreenOptions {
  readonly words: RunWords;
  readonly book: RunBook;
  readonly controls: RunControls;
  readonly logs: AttemptLogs;
  readonly terminal: Terminal;
  readonly console: RunConsole;
  /** Whether stdout is the same terminal. */
  readonly sharesTerminal: boolean;
  readonly output: (console: RunConsole, remark: (end: AttemptEnd) => string) => ItemOutput;
  readonly nowMs: () => number;
  readonly isQuiet: boolean;
}

/** The least time between two frames. */
const FRAME_MS = 100;
const TAIL_BYTES = 512;
const LOG_BYTES = 16 * 1024;

export class ScreenReporter implements Reporter {
  private readonly painter: Painter;
  private readonly output: ItemOutput;
  private readonly startMs: number;
  private readonly startOf = new Map<string, number>();
  private samples: readonly Sample[] = [];
  private paintedMs = Number.NEGATIVE_INFINITY;
  private unlisten: (() => void) | undefined;
  private stopping: StopState | undefined;
  private logOf: string | undefined;
  private isClosed = false;

  constructor(private readonly options: ScreenOptions) {
    this.painter = new Painter(options.terminal);
    this.startMs = options.nowMs();
    this.output = options.output(this.above(), (end) =>
      end.outcome === "Failed" ? this.red(`✗ ${failureText(end, options.words)}`) : "",
    );
  }

  begun(book: RunBook): void {
    this.unlisten = this.options.terminal.onKey((key) => this.onKey(key));
    this.progress(book);
  }

  started({ pod }: ItemAttempt): void {
    this.startOf.set(pod.uid, this.options.nowMs());
  }

  failedOnce(end: AttemptEnd): void {
    this.startOf.delete(end.pod.uid);
    const { words } = this.options;
    if (mayBeRetried(end, words)) this.print(`↻ ${retryText(end, words)}`);
  }

  ended(end: AttemptEnd): void {
    this.startOf.delete(end.pod.uid);
    this.output.add(end);
  }

  progress(book: RunBook): void {
    const atMs = this.options.nowMs();
    this.samples = addSample(this.samples, { atMs, done: book.succeeded + book.failed });
    if (atMs - this.paintedMs >= FRAME_MS) this.paint();
  }

  notice(text: string, state?: StopState): void {
    this.stopping = state ?? this.stopping;
    this.print(text);
  }

  async finish(summary: Summary): Promise<void> {
    await this.output.finish();
    this.close();
    const [first = "", ...more] = summaryLines(summary, this.options.words);
    const mark = summary.exitCode === 0 ? "✓" : "✗";
    this.options.terminal.write(`${mark} ${[first, ...more].join("\n")}\n`);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.unlisten?.();
    this.painter.close();
  }

  private onKey(key: string): void {
    const { controls } = this.options;
    switch (key) {
      case "p":
      case " ":
        controls.togglePause();
        break;
      case "+":
      case "=":
        controls.changeParallelism(1);
        break;
      case "-":
        controls.changeParallelism(-1);
        break;
      case "l":
        this.logOf = this.logOf === undefined ? this.nextLog(undefined) : undefined;
        break;
      case "n":
      case "\t":
        this.logOf = this.nextLog(this.logOf);
        break;
      case "\u001b":
        this.logOf = undefined;
        break;
      case "q":
      case "\u0003":
        controls.interrupt();
        break;
    }
    this.paint();
  }

  /** The next running item, or the first one. */
  private nextLog(after: string | undefined): string | undefined {
    const all = [...this.options.book.running].map(({ pod }) => pod.uid);
    return all[after === undefined ? 0 : (all.indexOf(after) + 1) % Math.max(1, all.length)];
  }

  private paint(): void {
    if (this.isClosed) return;
    this.paintedMs = this.options.nowMs();
    const { terminal } = this.options;
    const [columns, rows] = terminal.size();
    const lines = viewRun(this.view({ columns, rows }), { columns, rows });
    this.painter.paint(lines.map((line) => paintLine(line, terminal.isColored)));
  }

  private view(size: { readonly columns: number; readonly rows: number }): RunView {
    const { book, words } = this.options;
    const nowMs = this.options.nowMs();
    const { job, total, succeeded, failed, waiting } = book;
    const all = [...book.running];
    const done = succeeded + failed;
    const log = this.logOf === undefined ? undefined : this.viewLog(all, size);
    return {
      name: words.name,
      total,
      succeeded,
      failed,
      waiting,
      parallelism: job ? parallelismOf(job) : 1,
      state: this.stopping ?? (job && isPaused(job) ? "paused" : "running"),
      pace: paceOf(this.samples, { atMs: nowMs, done }, total),
      elapsedMs: nowMs - this.startMs,
      running: all.slice(0, roomForItems(size)).map((attempt) => ({
        item: attempt.item ?? itemText(attempt),
        attempt: attempt.attempt,
        forMs: nowMs - (this.startOf.get(attempt.pod.uid) ?? nowMs),
        lastLine: this.lastLineOf(attempt),
      })),
      runningCount: all.length,
      ...(log ? { log } : {}),
      hasKeys: this.unlisten !== undefined,
    };
  }

  private lastLineOf(attempt: ItemAttempt): string {
    const container = this.options.logs.streamsOf({
      ...attempt,
      containers: attempt.containers.slice(0, 1),
    });
    for (const stream of container) {
      const line = lastLine(stream.peek(TAIL_BYTES).toString("utf8"));
      if (line) return line;
    }
    return "";
  }

  private viewLog(
    all: readonly ItemAttempt[],
    size: { readonly columns: number; readonly rows: number },
  ): RunView["log"] | undefined {
    const attempt = all.find(({ pod }) => pod.uid === this.logOf) ?? all[0];
    if (!attempt) return undefined;
    this.logOf = attempt.pod.uid;
    const { logs, words } = this.options;
    const texts = logs.streamsOf(attempt).map((stream) => stream.peek(LOG_BYTES).toString("utf8"));
    const lines = texts.flatMap((text) => text.split("\n").map(printable)).filter(Boolean);
    const title = `${itemText(attempt)}: ${words.logOf(attempt)}`;
    return { title, lines: lines.slice(-roomForLog(size)) };
  }

  /** Prints above the live lines. */
  private print(text: string): void {
    this.painter.clear();
    this.options.terminal.write(`${text}\n`);
    this.paint();
  }

  private above(): RunConsole {
    const { console, sharesTerminal } = this.options;
    const through = async (write: () => Promise<void>, bytes: Uint8Array): Promise<void> => {
      this.painter.clear();
      await write();
      // The live lines start on a new line.
      if (bytes.at(-1) !== 0x0a) this.options.terminal.write("\n");
      this.paint();
    };
    return {
      writeBytes: (bytes) =>
        sharesTerminal
          ? through(() => console.writeBytes(bytes), bytes)
          : console.writeBytes(bytes),
      writeErrorBytes: (bytes) => through(() => console.writeErrorBytes(bytes), bytes),
      writeError: (text) => this.print(text.replace(/\n$/, "")),
    };
  }

  private red(text: string): string {
    return paintLine([{ text, style: "red" }], this.options.terminal.isColored);
  }
}
