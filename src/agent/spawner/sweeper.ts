/**
 * Ends and signals the processes of a run wherever they went. Looking through /proc costs
 * microseconds for each process of the machine: those who ask in one turn of the loop share one
 * look, and what short runs may have left behind is looked for a few times a second.
 */
import { findMarked, sendSignal } from "./processes.ts";
import type { RunName } from "./protocol.ts";

export class Sweeper {
  private readonly toEnd = new Map<RunName, Ending>();
  private readonly toTell: Telling[] = [];
  private readonly over = new Set<RunName>();
  private readonly accompanied = new Set<RunName>();
  private endTimer: NodeJS.Timeout | undefined;
  private overTimer: NodeJS.Timeout | undefined;
  private isTelling = false;
  private lookMs = 0;

  /** SIGKILL until none is left. The group is that of a slot that is dead itself. */
  end(run: RunName, group?: number): Promise<void> {
    this.accompanied.delete(run);
    return new Promise((resolve) => {
      this.toEnd.set(run, { group, resolve });
      this.endTimer ??= setTimeout(() => this.endAll(), 0);
    });
  }

  /** To those outside the group, which was told already. */
  tell(run: RunName, group: number, signal: NodeJS.Signals): Promise<void> {
    return new Promise((resolve) => {
      this.toTell.push({ run, group, signal, resolve });
      if (this.isTelling) return;
      this.isTelling = true;
      setImmediate(() => this.tellAll());
    });
  }

  /** The run has commands beside it, which are not children of its slot. */
  accompany(run: RunName): void {
    this.accompanied.add(run);
  }

  /**
   * The run ended by itself: what it left behind ends too, as with a container. If its slot has
   * ended its children, only commands beside it can be left.
   */
  clearAfter(run: RunName, hasNoChildren = false): void {
    const isAccompanied = this.accompanied.delete(run);
    if (hasNoChildren && !isAccompanied) return;
    this.over.add(run);
    const pauseMs = Math.max(LEFTOVER_MS, LEFTOVER_SHARE * this.lookMs);
    this.overTimer ??= setTimeout(() => this.clear(), pauseMs);
  }

  /** A run of this name begins, again perhaps. */
  spare(run: RunName): void {
    this.over.delete(run);
  }

  close(): void {
    clearTimeout(this.endTimer);
    clearTimeout(this.overTimer);
  }

  private endAll(): void {
    const groups = new Map<number, RunName>();
    for (const [run, { group }] of this.toEnd) if (group !== undefined) groups.set(group, run);
    const living = new Set<RunName>();
    for (const { pid, run } of this.look(new Set(this.toEnd.keys()), groups)) {
      sendSignal(pid, "SIGKILL");
      living.add(run);
    }
    for (const [run, { resolve }] of this.toEnd) {
      if (living.has(run)) continue;
      this.toEnd.delete(run);
      resolve();
    }
    const isMore = this.toEnd.size > 0;
    this.endTimer = isMore ? setTimeout(() => this.endAll(), AGAIN_MS + this.lookMs) : undefined;
  }

  private tellAll(): void {
    this.isTelling = false;
    const asked = this.toTell.splice(0);
    const found = this.look(new Set(asked.map(({ run }) => run)));
    for (const { run, group, signal, resolve } of asked) {
      for (const each of found) {
        if (each.run === run && each.group !== group) sendSignal(each.pid, signal);
      }
      resolve();
    }
  }

  private clear(): void {
    this.overTimer = undefined;
    const over = new Set(this.over);
    this.over.clear();
    for (const { run } of this.look(over)) if (!this.toEnd.has(run)) void this.end(run);
  }

  private look(runs: ReadonlySet<RunName>, groups?: ReadonlyMap<number, RunName>) {
    const fromMs = performance.now();
    const found = findMarked(runs, groups);
    this.lookMs = performance.now() - fromMs;
    return found;
  }
}

interface Ending {
  readonly group: number | undefined;
  readonly resolve: () => void;
}

interface Telling {
  readonly run: RunName;
  readonly group: number;
  readonly signal: NodeJS.Signals;
  readonly resolve: () => void;
}

const AGAIN_MS = 2;
const LEFTOVER_MS = 200;
/** At most a twentieth of the time goes into looking. */
const LEFTOVER_SHARE = 20;
