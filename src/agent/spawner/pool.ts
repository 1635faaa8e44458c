/**
 * The slots: as many as there are runs, and no more than short runs need. A slot costs a
 * millisecond to make, as much as a short run takes, so while enough runs are young a start waits
 * for the next slot to come free; runs that turn out long make room for new slots.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { StartOrder } from "./protocol.ts";
import type { RecordedRun } from "./records.ts";
import { Slot, type SlotEvents, type SlotKind } from "./slot.ts";
import { isTask } from "./task.ts";

export interface PoolOptions extends SlotEvents {
  readonly directory: string;
  readonly boot: string;
  /** Not used by any pool of this directory before. */
  readonly generation: string;
  /** Which slots most tasks need. */
  readonly kind: SlotKind;
}

/** Runs younger than this may be over before a new slot is there. */
const YOUNG_MS = 10;
const YOUNG_RUNS = Math.max(8, 4 * availableParallelism());
const SPARE_SLOTS = YOUNG_RUNS;

interface Turn {
  readonly run: RecordedRun;
  readonly sinceMs: number;
}

export class Pool {
  private readonly idle: Slot[] = [];
  private readonly busy = new Map<Slot, Turn>();
  private made = 0;
  /** The most that were busy at once since slots were last sent away. */
  private mostBusy = 0;

  constructor(private readonly options: PoolOptions) {}

  /** Slots before they are needed: the first run need not wait. */
  prepare(): void {
    while (this.idle.length < SPARE_SLOTS / 2) this.idle.push(this.make());
  }

  /** Undefined: ask again when a slot came free, or after a few milliseconds. */
  findSlot(order: StartOrder, isOnlyForIt: boolean): Slot | undefined {
    const kind = isTask(order) ? this.options.kind : "shell";
    const at = isOnlyForIt ? -1 : this.idle.findLastIndex((slot) => slot.kind === kind);
    if (at >= 0) return this.idle.splice(at, 1)[0];
    if (!isOnlyForIt && this.youngRuns() >= YOUNG_RUNS) return undefined;
    try {
      return this.make(kind);
    } catch {
      // No more processes or files to be had: the start waits until some are.
      return undefined;
    }
  }

  private make(kind = this.options.kind): Slot {
    const { directory, generation } = this.options;
    const name = `${generation}-${this.made++}`;
    return new Slot({ ...this.options, kind, name, file: slotFile(directory, name) });
  }

  begin(slot: Slot, run: RecordedRun): void {
    this.busy.set(slot, { run, sinceMs: performance.now() });
    this.mostBusy = Math.max(this.mostBusy, this.busy.size);
  }

  findRun(slot: Slot): RecordedRun | undefined {
    return this.busy.get(slot)?.run;
  }

  /** The slot is free for another run. */
  release(slot: Slot): void {
    this.busy.delete(slot);
    this.idle.push(slot);
  }

  /** The slot is dead or to be left alone. */
  drop(slot: Slot): void {
    this.busy.delete(slot);
    const at = this.idle.indexOf(slot);
    if (at >= 0) this.idle.splice(at, 1);
  }

  /** Sends away half of what nobody needs, time and again, so that one lull does not cost all. */
  shrink(): void {
    const needed = Math.max(SPARE_SLOTS, this.mostBusy - this.busy.size);
    this.mostBusy = this.busy.size;
    const surplus = Math.ceil((this.idle.length - needed) / 2);
    if (surplus > 0) for (const slot of this.idle.splice(0, surplus)) slot.dismiss();
  }

  dismissAll(): void {
    for (const slot of this.idle.splice(0)) slot.dismiss();
  }

  /** The youngest stand last: the count is over at the first that is not young. */
  private youngRuns(): number {
    const turns = [...this.busy.values()];
    const since = performance.now() - YOUNG_MS;
    return turns.length - 1 - turns.findLastIndex(({ sinceMs }) => sinceMs <= since);
  }
}

export function slotFile(directory: string, name: string): string {
  return join(directory, `slot-${name}`);
}
