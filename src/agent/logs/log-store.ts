/**
 * The output of containers: one file per run, which the process writes itself. We choose the file,
 * note when it grew, and read it.
 *
 * Reading order: places (which file), running-logs with growing-log (what is noted while a run
 * goes on), marks (what notes mean), read-log with log-block and line-stamps, then choose-run and
 * log-source for what a client of the API asks. Nothing here knows a runtime.
 */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import type { Closable } from "../../api/client.ts";
import type { Pod } from "../../api/generated/core.ts";
import { errorFile, hasSplitOutput, logFile } from "../../api/log-files.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { RunId } from "../runtimes/runtime.ts";
import { DiskSpace, type FreeBytes } from "./disk-space.ts";
import { type Pruned, pruneLogs, type Retention, removeLogs } from "./prune.ts";
import { type ReadOptions, readLog } from "./read-log.ts";
import { RunningLogs } from "./running-logs.ts";
import { readSplitLog } from "./split-log.ts";

export interface LogStoreOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The most that is kept of one run: what it writes beyond is discarded. 0: everything is. */
  readonly maxBytes?: number;
  readonly freeBytes?: FreeBytes;
}

export type LogNews =
  /** Once per run. What it wrote until then is kept; whether it may go on is for others to say. */
  | { readonly kind: "limit"; readonly id: RunId; readonly maxBytes: number }
  | { readonly kind: "disk"; readonly isFull: boolean };

export interface PodRun {
  readonly container: string;
  readonly attempt: number;
}

export interface LastWords {
  readonly lines: number;
  readonly bytes: number;
}

export function openLogs(options: LogStoreOptions): LogStore {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  return new LogStore({ ...options, directory: path.resolve(options.directory) });
}

export class LogStore {
  private readonly running: RunningLogs;
  private readonly listeners = new Set<(news: LogNews) => void>();
  private readonly maxBytes: number;

  constructor(private readonly options: LogStoreOptions) {
    const { directory, clock, log, maxBytes = 0, freeBytes } = options;
    this.maxBytes = maxBytes;
    const onDisk = (isFull: boolean) => this.tell({ kind: "disk", isFull });
    const disk = new DiskSpace(directory, onDisk, freeBytes);
    const onLimit = (id: RunId) => this.tell({ kind: "limit", id, maxBytes });
    const onSecond = () => disk.check();
    this.running = new RunningLogs({ clock, log, maxBytes, onLimit, onSecond });
  }

  /** Absolute. */
  fileOf(pod: Pod, { container, attempt }: PodRun): string {
    return `${this.options.directory}/${logFile(pod, container, attempt)}`;
  }

  /** A run is about to start, or was found again. Answers with the file it has to write. */
  begin(pod: Pod, run: PodRun): string {
    const file = this.fileOf(pod, run);
    this.running.begin({ podUid: pod.metadata.uid ?? "", ...run }, file);
    return file;
  }

  /** A run is over: who follows it gets the rest. One that is not known is none to end. */
  end(id: RunId): void {
    this.running.end(id);
  }

  /** The attempt whose output is being written now. */
  findRunning(pod: Pod, container: string): number | undefined {
    return this.running.find({ podUid: pod.metadata.uid ?? "", container })?.attempt;
  }

  /** Nothing for a run that wrote nothing. The signal ends it, also while it waits for more. */
  read(
    pod: Pod,
    run: PodRun,
    options: ReadOptions = {},
    signal: AbortSignal = new AbortController().signal,
  ): AsyncIterable<Buffer> {
    const { container, attempt } = run;
    const found = this.running.find({ podUid: pod.metadata.uid ?? "", container });
    const growing = found?.attempt === attempt ? found : undefined;
    if (growing && options.follow) this.running.attend(growing);
    const file = this.fileOf(pod, run);
    const out = { file, growing, maxBytes: this.maxBytes };
    const errors = errorFile(file);
    // The run wrote where the annotation said when it began; clients may have edited it since.
    if (!hasSplitOutput(pod) && !existsSync(errors)) return readLog(out, options, signal);
    const err = { file: errors, growing: undefined, maxBytes: this.maxBytes };
    return readSplitLog({ out, err }, options, signal);
  }

  /** The last lines, cut to the last bytes of them. */
  async lastWords(pod: Pod, run: PodRun, most: LastWords): Promise<string> {
    let kept = Buffer.alloc(0);
    // The bytes bound the search as well: a line may be as long as the disk is large.
    const end = { tailLines: most.lines, lastBytes: most.bytes };
    for await (const piece of this.read(pod, run, end)) {
      const all = Buffer.concat([kept, piece]);
      kept = all.subarray(Math.max(0, all.length - most.bytes));
    }
    return kept.toString("utf8");
  }

  /** What the run has printed so far. */
  bytesOf(pod: Pod, run: PodRun): number {
    return statSync(this.fileOf(pod, run), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Whether there is a file, though it may be empty. */
  async has(pod: Pod, run: PodRun): Promise<boolean> {
    return access(this.fileOf(pod, run)).then(
      () => true,
      () => false,
    );
  }

  onNews(listener: (news: LogNews) => void): Closable {
    this.listeners.add(listener);
    return { close: () => void this.listeners.delete(listener) };
  }

  remove(podUid: string): Promise<void> {
    return removeLogs(this.options.directory, podUid);
  }

  prune(retention: Retention): Promise<Pruned> {
    const { directory, clock } = this.options;
    const running = this.running.podUids();
    const isKept = (podUid: string) => running.has(podUid);
    return pruneLogs({ directory, nowMs: clock.nowMs(), isKept }, retention);
  }

  /** The runs go on; what was noted of them is saved. */
  close(): void {
    this.running.close();
  }

  private tell(news: LogNews): void {
    for (const listener of this.listeners) listener(news);
  }
}
