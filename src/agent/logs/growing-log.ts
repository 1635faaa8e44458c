/**
 * The log of a run that is not over. The process writes it, we look: each look that finds more
 * leaves a mark and wakes who follows. A log that is quiet is not looked at but watched.
 */
import {
  closeSync,
  type FSWatcher,
  fstatSync,
  ftruncateSync,
  openSync,
  rmSync,
  type Stats,
  statSync,
  truncateSync,
  watch,
  writeSync,
} from "node:fs";
import { marksFile, messageFile } from "../../api/log-files.ts";
import { encodeMarks, MARK_BYTES, type Mark, spacingMs } from "./marks.ts";

export interface Bounds {
  /** What is written beyond is cut off. 0: nothing is. */
  readonly maxBytes: number;
  /** Called once. */
  readonly onLimit: () => void;
}

export class GrowingLog {
  isOver = false;
  /** Looks in a row that found nothing new. */
  quietLooks = 0;
  /** Grows whenever there may be more to read, or no more to wait for. */
  version = 0;
  private size = 0;
  private isCut = false;
  private descriptor: number | undefined;
  private watchers: FSWatcher[] = [];
  private readonly waiting = new Set<() => void>();
  /** Written only once it is no longer the last: the file itself tells as much. */
  private last: Mark | undefined;
  private kept: Mark | undefined;
  private count = 0;
  private unsaved: Mark[] = [];

  constructor(
    readonly file: string,
    readonly attempt: number,
    private readonly bounds: Bounds,
  ) {}

  /** Whether there is more than at the last look. */
  look(): boolean {
    const found = this.stat();
    if (found === undefined) return false;
    const { maxBytes } = this.bounds;
    const isTooLong = maxBytes > 0 && found.size > maxBytes;
    if (isTooLong) this.cut();
    const size = isTooLong ? maxBytes : found.size;
    if (size === this.size) return isTooLong;
    if (size < this.size) this.startOver();
    this.size = size;
    if (size > 0) this.mark({ offset: size, timeMs: Math.floor(found.mtimeMs) });
    this.wake();
    return true;
  }

  /** Nothing is known of a log that nobody has begun to write. */
  private stat(): Stats | undefined {
    if (this.descriptor !== undefined) return fstatSync(this.descriptor);
    return statSync(this.file, { throwIfNoEntry: false });
  }

  /** The process appends: what it writes next comes after the cut, until the next look. */
  private cut(): void {
    truncateSync(this.file, this.bounds.maxBytes);
    if (this.isCut) return;
    this.isCut = true;
    this.bounds.onLimit();
  }

  /** Someone made the file shorter: what was noted is of bytes that are gone. */
  private startOver(): void {
    rmSync(marksFile(this.file), { force: true });
    this.unsaved = [];
    this.last = undefined;
    this.kept = undefined;
    this.count = 0;
  }

  private mark(next: Mark): void {
    const { last, kept } = this;
    this.last = next;
    if (last === undefined) return;
    const leastMs = spacingMs(this.count);
    const isWide = kept === undefined || last.timeMs - kept.timeMs >= leastMs;
    if (!isWide && next.timeMs - last.timeMs < leastMs) return;
    this.unsaved.push(last);
    this.kept = last;
    this.count++;
  }

  /** Those that are not on disk yet, and the last. */
  recentMarks(): readonly Mark[] {
    return this.last === undefined ? this.unsaved : [...this.unsaved, this.last];
  }

  save(): void {
    if (this.unsaved.length === 0) return;
    const descriptor = openSync(marksFile(this.file), "a", 0o600);
    try {
      const { size } = fstatSync(descriptor);
      // A crash in the middle of a mark must not shift those after it.
      if (size % MARK_BYTES !== 0) ftruncateSync(descriptor, size - (size % MARK_BYTES));
      this.count = Math.floor(size / MARK_BYTES) + this.unsaved.length;
      writeSync(descriptor, encodeMarks(this.unsaved));
      this.unsaved = [];
    } finally {
      closeSync(descriptor);
    }
  }

  /** To be looked at, and no longer watched. */
  attend(): void {
    this.quietLooks = 0;
    this.unwatch();
  }

  /** A look at an open file costs a third of one at a path. */
  hold(): void {
    try {
      this.descriptor ??= openSync(this.file, "r");
    } catch {
      // It is not there yet, or there are too many: its path does as well.
    }
  }

  /** Whether the system will tell when it is written to, so that nobody needs to look. */
  rest(onChange: () => void): boolean {
    const watcher = tryToWatch(this.file, onChange);
    if (watcher === undefined) return false;
    // A container that prints nothing may still fill the disk with its message.
    const message = tryToWatch(messageFile(this.file), onChange);
    this.watchers = message === undefined ? [watcher] : [watcher, message];
    this.release();
    return true;
  }

  /** Settles when there may be more than at that version. */
  changed(version: number, signal: AbortSignal): Promise<void> {
    if (this.version !== version || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        this.waiting.delete(settle);
        signal.removeEventListener("abort", settle);
        resolve();
      };
      this.waiting.add(settle);
      signal.addEventListener("abort", settle);
    });
  }

  end(): void {
    this.isOver = true;
    this.unwatch();
    this.release();
    this.wake();
  }

  private wake(): void {
    this.version++;
    for (const settle of [...this.waiting]) settle();
  }

  private unwatch(): void {
    for (const watcher of this.watchers.splice(0)) watcher.close();
  }

  private release(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }
}

function tryToWatch(file: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(file, { persistent: false }, onChange).on("error", onChange);
  } catch {
    return undefined;
  }
}
