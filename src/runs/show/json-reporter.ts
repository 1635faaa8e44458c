/** Reports a run as JSON: one object per line on stdout for each event. */
import type { AttemptEnd, ItemAttempt } from "../follow/attempt.ts";
import type { RunBook } from "../follow/run-book.ts";
import type { AttemptLogs } from "./attempt-logs.ts";
import { InOrder } from "./in-order.ts";
import type { RunWords } from "./item-text.ts";
import type { Reporter, RunConsole } from "./reporter.ts";
import type { Summary } from "./summary.ts";

export interface JsonOptions {
  readonly console: RunConsole;
  readonly words: RunWords;
  readonly logs: AttemptLogs;
  readonly order?: { readonly isSettled: (index: number) => boolean };
}

/** The limit for each stream of an item; the log has the rest. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

export class JsonReporter implements Reporter {
  private readonly ordered: InOrder<AttemptEnd> | undefined;
  private lines: (string | Promise<string>)[] = [];
  private writing: Promise<void> | undefined;

  constructor(private readonly options: JsonOptions) {
    this.ordered = options.order && new InOrder(options.order.isSettled);
  }

  begun({ total, succeeded }: RunBook): void {
    const { name } = this.options.words;
    this.write({ type: "run", name, items: total ?? null, doneBefore: succeeded });
  }

  started(attempt: ItemAttempt): void {
    this.write({ type: "started", ...identity(attempt) });
  }

  failedOnce(end: AttemptEnd): void {
    this.write({ type: "attempt", ...this.story(end) });
  }

  ended(end: AttemptEnd): void {
    const ready =
      this.ordered && end.index !== undefined ? this.ordered.add(end.index, end) : [end];
    for (const each of ready) this.writeItem(each);
  }

  progress(): void {}

  notice(message: string): void {
    this.write({ type: "notice", message });
  }

  async finish(summary: Summary): Promise<void> {
    for (const each of this.ordered?.rest() ?? []) this.writeItem(each);
    const { failures: _, tookMs, total, ...rest } = summary;
    this.write({ type: "summary", items: total ?? null, ...rest, seconds: tookMs / 1000 });
    while (this.writing) await this.writing;
  }

  close(): void {}

  private writeItem(end: AttemptEnd): void {
    const streams = this.options.logs.streamsOf(end);
    const texts = streams.map((stream) => stream.readEnd(MAX_OUTPUT_BYTES));
    const compose = (outputs: readonly Buffer[]): string => {
      const of = (isError: boolean) =>
        outputs.filter((_, at) => streams[at]?.isError === isError).join("");
      const item = { ...this.story(end), stdout: of(false), stderr: of(true) };
      return JSON.stringify({ type: "item", ...item });
    };
    const areAtHand = texts.every((text) => Buffer.isBuffer(text));
    this.add(areAtHand ? compose(texts) : Promise.all(texts).then(compose));
  }

  private story(end: AttemptEnd): object {
    const { outcome, exitCode, signal, reason, message, startedMs, endedMs } = end;
    const isTimed = startedMs !== undefined && endedMs !== undefined;
    return {
      ...identity(end),
      outcome,
      exitCode,
      signal,
      reason,
      message,
      seconds: isTimed ? (endedMs - startedMs) / 1000 : undefined,
      log: this.options.words.logOf(end),
    };
  }

  private write(object: object): void {
    this.add(JSON.stringify(object));
  }

  private add(line: string | Promise<string>): void {
    this.lines.push(line);
    this.writing ??= this.flush();
  }

  private async flush(): Promise<void> {
    await Promise.resolve();
    while (this.lines.length > 0) {
      const lines = await Promise.all(this.lines.splice(0));
      await this.options.console.writeBytes(Buffer.from(`${lines.join("\n")}\n`));
    }
    this.writing = undefined;
  }
}

function identity({ index, item, attempt, pod }: ItemAttempt): object {
  return { index, item, attempt, pod: pod.name };
}
