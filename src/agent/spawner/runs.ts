/**
 * All runs that are not forgotten, and their records on disk. Begins are on disk before anything
 * happens; ends and what may be forgotten are gathered for one turn of the loop, and an end is told
 * to nobody before it is written.
 */
import type { EndedRun, RunName } from "./protocol.ts";
import { RecordFile } from "./record-file.ts";
import { formatEnd, formatForget, formatKill, type RecordedRun } from "./records.ts";
import { toEnded } from "./to-running.ts";

export class Runs {
  private readonly records: RecordFile;
  private readonly byName = new Map<RunName, RecordedRun>();
  private readonly unfinished = new Map<RunName, RecordedRun>();
  private lastNumber = 0;
  private lines = "";
  private untold: EndedRun[] = [];
  private isFlushing = false;

  constructor(
    file: string,
    private readonly onEnd: (end: EndedRun) => void,
  ) {
    this.records = new RecordFile(file);
    for (const run of this.records.read()) {
      this.lastNumber = Math.max(this.lastNumber, run.number);
      this.put(run);
    }
    // Shorter, and without half a line at its end.
    this.flush({ rewrites: true });
  }

  nextNumber(): number {
    return ++this.lastNumber;
  }

  find(name: RunName): RecordedRun | undefined {
    return this.byName.get(name);
  }

  get isIdle(): boolean {
    return this.unfinished.size === 0;
  }

  running(): readonly RecordedRun[] {
    return [...this.unfinished.values()];
  }

  ended(): readonly EndedRun[] {
    return [...this.byName.values()].flatMap((run) => toEnded(run) ?? []);
  }

  /** Throws when the disk refuses: then nothing has begun. */
  begin(runs: readonly RecordedRun[], lines: string): void {
    this.records.append(lines);
    for (const run of runs) this.put(run);
  }

  /** Before the signal: a slot that dies of it takes the status of its run along. */
  noteKill(name: RunName): void {
    const run = this.byName.get(name);
    if (run === undefined || run.isKilled) return;
    this.put({ ...run, isKilled: true });
    this.lines += formatKill(run.number);
    this.flush();
  }

  end(end: EndedRun): void {
    const run = this.byName.get(end.run);
    if (run === undefined || run.end !== undefined) return;
    this.put({ ...run, end });
    this.lines += formatEnd(run.number, end);
    this.untold.push(end);
    this.flushSoon();
  }

  forget(name: RunName): void {
    const run = this.byName.get(name);
    if (run?.end === undefined) return;
    this.byName.delete(name);
    this.lines += formatForget(run.number);
    this.flushSoon();
  }

  /** It was on record and could not begin after all. */
  undo(name: RunName): void {
    const run = this.byName.get(name);
    if (run === undefined) return;
    this.byName.delete(name);
    this.unfinished.delete(name);
    this.lines += formatForget(run.number);
    this.flushSoon();
  }

  flush({ rewrites } = { rewrites: this.records.isMostlyForgotten }): void {
    const lines = this.lines;
    const ends = this.untold;
    this.lines = "";
    this.untold = [];
    try {
      if (lines !== "") this.records.append(lines);
      if (rewrites) this.records.rewrite(this.byName.values());
    } catch {
      // A full disk: the slots' files and our memory still know, and the next flush says it again.
      this.lines = lines + this.lines;
    }
    for (const end of ends) this.onEnd(end);
  }

  close(): void {
    this.flush();
    this.records.close();
  }

  private put(run: RecordedRun): void {
    this.byName.set(run.run, run);
    if (run.end === undefined) this.unfinished.set(run.run, run);
    else this.unfinished.delete(run.run);
  }

  private flushSoon(): void {
    if (this.isFlushing) return;
    this.isFlushing = true;
    setImmediate(() => {
      this.isFlushing = false;
      this.flush();
    });
  }
}
