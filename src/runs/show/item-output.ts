/**
 * Prints the output of items, one item after the other as a whole: stdout to stdout, stderr to
 * stderr. A slow reader delays the next item.
 */
import type { AttemptEnd } from "../follow/attempt.ts";
import type { AttemptLogs, LogStream } from "./attempt-logs.ts";
import { InOrder } from "./in-order.ts";
import type { RunConsole } from "./reporter.ts";

export interface ItemOutputOptions {
  readonly console: RunConsole;
  readonly logs: AttemptLogs;
  /** Present for output in the order of the list: which indexes have ended. */
  readonly order?: { readonly isSettled: (index: number) => boolean };
  /** A text for stderr after the output of an item; "" for none. */
  readonly remark: (end: AttemptEnd) => string;
}

export class ItemOutput {
  private readonly ordered: InOrder<AttemptEnd> | undefined;
  private readonly queue: AttemptEnd[] = [];
  private writing: Promise<void> | undefined;

  constructor(private readonly options: ItemOutputOptions) {
    this.ordered = options.order && new InOrder(options.order.isSettled);
  }

  add(end: AttemptEnd): void {
    const ready =
      this.ordered && end.index !== undefined ? this.ordered.add(end.index, end) : [end];
    this.queue.push(...ready);
    this.begin();
  }

  /** Resolves when everything is written. */
  async finish(): Promise<void> {
    this.queue.push(...(this.ordered?.rest() ?? []));
    this.begin();
    while (this.writing) await this.writing;
  }

  private begin(): void {
    if (this.queue.length === 0) return;
    this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined;
      this.begin();
    });
  }

  private async writeAll(): Promise<void> {
    // Items that end in the same turn are written together.
    await Promise.resolve();
    const { remark, console } = this.options;
    for (const end of this.queue.splice(0)) {
      await this.writeItem(end);
      const text = remark(end);
      if (text === "") continue;
      await this.flush();
      console.writeError(`${text}\n`);
    }
    await this.flush();
  }

  private short: Buffer[] = [];
  private shortBytes = 0;

  private async writeItem(end: AttemptEnd): Promise<void> {
    for (const stream of this.options.logs.streamsOf(end)) {
      const text = stream.readShort();
      if (text?.length === 0) continue;
      if (stream.isError) await this.writeErrors(stream, text);
      else await this.writeOutput(stream, text);
    }
  }

  private async writeOutput(stream: LogStream, text: Buffer | undefined): Promise<void> {
    if (text === undefined) {
      await this.flush();
      await stream.copy(this.options.console.writeBytes);
      return;
    }
    this.short.push(text);
    this.shortBytes += text.length;
    if (this.shortBytes > FLUSH_BYTES) await this.flush();
  }

  private async writeErrors(stream: LogStream, text: Buffer | undefined): Promise<void> {
    // Both streams may be the same terminal: keep the order.
    await this.flush();
    const { writeErrorBytes } = this.options.console;
    if (text === undefined) await stream.copy(writeErrorBytes);
    else await writeErrorBytes(text);
  }

  private async flush(): Promise<void> {
    if (this.short.length === 0) return;
    const all =
      this.short.length === 1 && this.short[0] ? this.short[0] : Buffer.concat(this.short);
    this.short = [];
    this.shortBytes = 0;
    await this.options.console.writeBytes(all);
  }
}

const FLUSH_BYTES = 64 * 1024;
