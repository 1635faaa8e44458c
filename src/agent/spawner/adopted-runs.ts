/**
 * Runs that an earlier spawner began and whose slots are still at them. Nobody tells us when they
 * end: their files do, and a slot that is gone without a word.
 */
import { type Ending, findStatus } from "./outcome.ts";
import { slotFile } from "./pool.ts";
import { isSameProcess } from "./processes.ts";
import type { RecordedRun, SlotIdentity } from "./records.ts";
import { readNotes } from "./slot.ts";

export interface AdoptedEvents {
  readonly onEnd: (run: RecordedRun, ending: Ending) => void;
  readonly onDeath: (run: RecordedRun) => void;
}

export class AdoptedRuns {
  private readonly runs = new Set<RecordedRun>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly directory: string,
    private readonly boot: string,
    private readonly events: AdoptedEvents,
  ) {}

  /** Tells of its end at once if there is one to tell of. */
  add(run: RecordedRun): void {
    this.runs.add(run);
    this.check(run);
    this.watch();
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private watch(): void {
    if (this.runs.size === 0 || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      for (const run of this.runs) this.check(run);
      this.watch();
    }, WATCH_MS);
  }

  private check(run: RecordedRun): void {
    // Whether it lives is asked first: one that dies in between has written all it will.
    const lives = run.slot !== undefined && this.isAlive(run.slot);
    const notes = readNotes(slotFile(this.directory, run.slot?.slot ?? ""));
    const found = notes && findStatus(notes.text, run.number);
    if (!found && lives) return;
    this.runs.delete(run);
    if (found) this.events.onEnd(run, { ...found, finishedMs: notes.writtenMs });
    else this.events.onDeath(run);
  }

  private isAlive(slot: SlotIdentity): boolean {
    return slot.boot === this.boot && isSameProcess(slot);
  }
}

const WATCH_MS = 100;
