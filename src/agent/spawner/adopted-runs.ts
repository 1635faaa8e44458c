/**
 * Runs that an earlier spawner began and whose slots are still at them. Nobody tells us when they
 * end: their files do, and a slot that is gone without a word.
 */
import { type Ending, findStatus, hasRead } from "./outcome.ts";
import { slotFile } from "./pool.ts";
import { isSameProcess } from "./processes.ts";
import type { RecordedRun, SlotIdentity } from "./records.ts";
import { readNotes } from "./slot.ts";

export interface AdoptedEvents {
  readonly onEnd: (run: RecordedRun, ending: Ending) => void;
  readonly onDeath: (run: RecordedRun) => void;
  /** Its slot is gone and had never read of it. Only before all are settled. */
  readonly onNothing: (run: RecordedRun) => void;
}

export class AdoptedRuns {
  private readonly runs = new Set<RecordedRun>();
  private timer: NodeJS.Timeout | undefined;
  private isSettled = false;

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

  /**
   * A slot whose spawner died reads what it was given or leaves, at once: then it is known of every
   * run whether it began, and one that did not may be asked for again.
   */
  async settle(longestMs: number): Promise<void> {
    const untilMs = performance.now() + longestMs;
    while ([...this.runs].some((run) => !this.hasBegun(run)) && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      for (const run of this.runs) this.check(run);
    }
    this.isSettled = true;
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
    else if (this.isSettled || !notes || hasRead(notes.text, run.number) || run.isKilled) {
      this.events.onDeath(run);
    } else {
      this.events.onNothing(run);
    }
  }

  private hasBegun({ slot, number }: RecordedRun): boolean {
    return hasRead(readNotes(slotFile(this.directory, slot?.slot ?? ""))?.text ?? "", number);
  }

  private isAlive(slot: SlotIdentity): boolean {
    return slot.boot === this.boot && isSameProcess(slot);
  }
}

const WATCH_MS = 100;
const SETTLE_MS = 2;
