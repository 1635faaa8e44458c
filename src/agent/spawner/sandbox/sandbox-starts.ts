/**
 * Starts that wait for a seat in a sandbox, and what a spawner asks of sandboxes besides: where a
 * machine has none, everything is refused with the reason.
 */
import type { RunName, SandboxAbilities, StartOrder } from "../protocol.ts";
import { composeScript, type ScriptFacts } from "../script.ts";
import type { Slot } from "../slot.ts";
import { type Entered, enterSandbox } from "./enter.ts";
import { furnish } from "./furnish.ts";
import { composeSandboxScript } from "./sandbox-script.ts";
import { type FoundSeat, Sandboxes, type SandboxesOptions } from "./sandboxes.ts";
import { Seat } from "./seat.ts";
import { findTools, type Tools } from "./tools.ts";

/** A start that was found possible. */
export interface Start {
  readonly order: StartOrder;
  readonly executable: string;
}

export interface SandboxStartsOptions extends Omit<SandboxesOptions, "tools"> {
  readonly onRefusal: (run: RunName, problem: string) => void;
}

export class SandboxStarts {
  can: SandboxAbilities;
  private readonly tools: Tools | undefined;
  private readonly sandboxes: Sandboxes | undefined;
  private readonly unseated = new Map<RunName, Start>();

  constructor(private readonly options: SandboxStartsOptions) {
    const { tools, can } = findTools();
    this.tools = tools;
    this.can = can;
    const onNoWayOut = (noWayOut: string) => {
      this.can = { ...this.can, noWayOut };
      options.onNoWayOut(noWayOut);
    };
    if (tools) this.sandboxes = new Sandboxes({ ...options, tools, onNoWayOut });
  }

  get isEmpty(): boolean {
    return this.unseated.size === 0;
  }

  has(run: RunName): boolean {
    return this.unseated.has(run);
  }

  add(start: Start): void {
    this.unseated.set(start.order.run, start);
  }

  clear(): void {
    this.unseated.clear();
  }

  /** Those that have a seat now. */
  takeSeated(): readonly { readonly start: Start; readonly slot: Slot }[] {
    if (this.unseated.size === 0) return [];
    const seated: { start: Start; slot: Slot }[] = [];
    let waiting = 0;
    for (const [run, start] of this.unseated) {
      const found = this.findSeat(start.order, waiting);
      if (found === undefined) {
        waiting++;
        continue;
      }
      this.unseated.delete(run);
      if (found instanceof Seat) seated.push({ start, slot: found.slot });
      else this.options.onRefusal(run, found.problem);
    }
    return seated;
  }

  /** A command beside the run of that slot; undefined while that has not begun, or is over. */
  enter(slot: number, order: StartOrder): Entered | undefined {
    return this.tools && enterSandbox(slot, order, this.tools);
  }

  /** Throws what is in the way. */
  compose(order: StartOrder, slot: Slot, facts: ScriptFacts): string {
    const seat = this.sandboxes?.findSeat(slot);
    const { sandbox } = order;
    if (sandbox === undefined || seat === undefined) return composeScript(order, facts);
    return composeSandboxScript(order, sandbox, { ...facts, ...furnish(seat, order, sandbox) });
  }

  /** The process that limits are for: whatever it starts has them, too. */
  limitedProcess(slot: Slot): number {
    return this.sandboxes?.findSeat(slot)?.leader ?? slot.identity.pid;
  }

  /** What a slot says that is no end of a run. */
  onWord(slot: Slot, word: number): void {
    this.sandboxes?.onWord(slot, word);
  }

  /** False where the slot is none of a sandbox's. */
  release(slot: Slot): boolean {
    const seat = this.sandboxes?.findSeat(slot);
    if (seat) this.sandboxes?.release(seat);
    return seat !== undefined;
  }

  /** The slot is gone. */
  drop(slot: Slot): void {
    this.sandboxes?.drop(slot);
  }

  remove(slot: string): void {
    this.sandboxes?.remove(slot);
  }

  leave(pod: string): void {
    this.sandboxes?.leave(pod);
  }

  sweep(isUsed: (slot: string) => boolean): void {
    this.sandboxes?.sweep(isUsed);
  }

  async close(options: { readonly isLast: boolean }): Promise<void> {
    await this.sandboxes?.close(options);
  }

  private findSeat(order: StartOrder, waiting: number): FoundSeat {
    if (this.sandboxes === undefined || order.sandbox === undefined) {
      return { problem: `there are no sandboxes: ${this.can.problem}` };
    }
    return this.sandboxes.find(order, order.sandbox, waiting);
  }
}
