/**
 * The small process that starts and watches others, so that the server never forks: orders come
 * in, news go out, and what is between is on record first. Read runs.ts for what is known of runs,
 * pool.ts and slot.ts for where they run, script.ts for how, sweeper.ts for how they are ended. It
 * knows no pods and no Kubernetes, and stays small: each slot is a fork of it.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "../../base/describe-error.ts";
import type { StopSignal } from "../runtimes/runtime.ts";
import { AdoptedRuns } from "./adopted-runs.ts";
import { type Cgroups, noCgroups, openCgroups } from "./cgroups.ts";
import { deliverSignal, pause } from "./deliver.ts";
import { findExecutable } from "./executable.ts";
import { forgetFolders, makeLogs } from "./folders.ts";
import { composeDeath, composeEnd, type Ending, findStatus } from "./outcome.ts";
import { Pool, slotFile } from "./pool.ts";
import { ProcessSettings } from "./process-settings.ts";
import { bootName, isSameProcess, sendSignal } from "./processes.ts";
import {
  type Capabilities,
  type News,
  parseRunName,
  type RunName,
  type StartOrder,
} from "./protocol.ts";
import { formatBegin, formatSlot, type RecordedRun, type SlotIdentity } from "./records.ts";
import { Runs } from "./runs.ts";
import { isSandboxSlot } from "./sandbox/sandbox-slot.ts";
import { SandboxStarts, type Start } from "./sandbox/sandbox-starts.ts";
import { childOf } from "./sandbox/seat.ts";
import { MARKER } from "./script.ts";
import { findSlotKind, removeNotes, type Slot } from "./slot.ts";
import { Sweeper } from "./sweeper.ts";
import { composeTask } from "./task.ts";
import { toRunning } from "./to-running.ts";

export interface SpawnerOptions {
  readonly directory: string;
  readonly tell: (news: News) => void;
  readonly usesCgroups: boolean;
}

const NEVER_RAN = 128;
/** How often a start without a slot asks again, and a signal without a process. */
const AGAIN_MS = 2;
/** A command begins within milliseconds of its order, unless the machine is very busy. */
const LONGEST_BEGINNING_MS = 10_000;
const SHRINK_MS = 5000;

interface Begun extends Start {
  readonly run: RecordedRun;
  readonly slot: Slot;
}

export class Spawner {
  private readonly cgroups: Cgroups;
  private readonly settings = new ProcessSettings();
  private readonly sweeper = new Sweeper();
  private readonly runs: Runs;
  private readonly pool: Pool;
  private readonly sandboxes: SandboxStarts;
  private readonly adopted: AdoptedRuns;
  /** In order of arrival; by name, so that a second order for a run finds the first. */
  private readonly waiting = new Map<RunName, Start>();
  private readonly outerMarker: string;
  private readonly shrinking: NodeJS.Timeout;
  private againTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: SpawnerOptions) {
    const { directory, tell, usesCgroups } = options;
    this.cgroups = usesCgroups ? openCgroups() : noCgroups;
    const boot = bootName();
    const outer = process.env[MARKER];
    this.outerMarker = outer === undefined ? "" : `${outer} `;
    this.runs = new Runs(join(directory, "runs"), (end) => tell({ news: "ended", ...end }));
    const slots = {
      directory,
      boot,
      generation: `${Date.now().toString(36)}-${process.pid}`,
      onEnd: (slot: Slot, number: number, status: number) => this.onEnd(slot, number, status),
      onDeath: (slot: Slot) => this.onDeath(slot),
    };
    this.pool = new Pool({ ...slots, kind: findSlotKind() });
    this.sandboxes = new SandboxStarts({
      ...slots,
      onChange: () => this.startWaiting(),
      onRefusal: (run, message) => tell({ news: "refused", run, exitCode: NEVER_RAN, message }),
      onNoWayOut: (problem) => tell({ news: "noWayOut", problem }),
      findElder: (pod) => this.findElder(pod),
    });
    this.adopted = new AdoptedRuns(directory, boot, {
      onEnd: (run, ending) => {
        this.finish(run, ending);
        this.sweeper.clearAfter(run.run);
        this.cleanUp(run.slot?.slot ?? "");
      },
      onDeath: (run) => void this.finishDead(run, ""),
      onNothing: (run) => {
        this.runs.undo(run.run);
        this.cleanUp(run.slot?.slot ?? "");
      },
    });
    this.adopt();
    this.pool.prepare();
    this.shrinking = setInterval(() => this.pool.shrink(), SHRINK_MS);
  }

  get can(): Capabilities {
    return { ...this.cgroups.can, sandbox: this.sandboxes.can };
  }

  /** What an earlier spawner left is known. */
  settle(): Promise<void> {
    return this.adopted.settle(LONGEST_BEGINNING_MS);
  }

  get isIdle(): boolean {
    return this.waiting.size === 0 && this.sandboxes.isEmpty && this.runs.isIdle;
  }

  /** A batch of starts is followed by startWaiting. */
  start(order: StartOrder): void {
    const known = this.runs.find(order.run);
    if (known !== undefined) this.tellAgain(known);
    if (known !== undefined || this.isWaiting(order.run)) return;
    if (order.beside !== undefined) this.accompany(order.beside);
    const elder = this.runs.find(order.beside ?? "")?.slot;
    if (elder !== undefined && isSandboxSlot(elder.slot)) {
      this.startBeside(order, elder, performance.now() + LONGEST_BEGINNING_MS);
      return;
    }
    const found = findExecutable(order);
    if ("refusal" in found) {
      this.options.tell({ news: "refused", run: order.run, ...found.refusal });
    } else if (order.sandbox !== undefined) {
      this.sandboxes.add({ order, ...found });
    } else {
      this.waiting.set(order.run, { order, ...found });
    }
  }

  /** As soon as what it is beside has begun. */
  private startBeside(order: StartOrder, elder: SlotIdentity, untilMs: number): void {
    const isOver = !isSameProcess(elder) || this.hasEnded(order.beside ?? "");
    const entered = isOver ? undefined : this.sandboxes.enter(elder.pid, order);
    if (entered !== undefined) {
      const whole = { ...order, ...entered, directory: "/" };
      this.waiting.set(order.run, { order: whole, executable: entered.command[0] ?? "" });
      this.startWaiting();
    } else if (isOver || performance.now() > untilMs) {
      const message = "the container it is beside does not run";
      this.options.tell({ news: "refused", run: order.run, exitCode: NEVER_RAN, message });
    } else {
      setTimeout(() => this.startBeside(order, elder, untilMs), AGAIN_MS);
    }
  }

  dropWaiting(): void {
    this.waiting.clear();
    this.sandboxes.clear();
  }

  private isWaiting(run: RunName): boolean {
    return this.waiting.has(run) || this.sandboxes.has(run);
  }

  startWaiting(): void {
    const begun = this.sandboxes.takeSeated().map(({ start, slot }) => this.assign(start, slot));
    for (const start of this.waiting.values()) {
      const slot = this.pool.findSlot(start.order, this.cgroups.enforces(start.order.limits));
      if (slot === undefined) break;
      begun.push(this.assign(start, slot));
    }
    if (begun.length > 0) this.begin(begun);
    if (this.waiting.size === 0) return;
    this.againTimer ??= setTimeout(() => {
      this.againTimer = undefined;
      this.startWaiting();
    }, AGAIN_MS);
  }

  async signal(name: RunName, signal: StopSignal): Promise<void> {
    while (this.isWaiting(name)) await pause();
    const run = this.runs.find(name);
    // A pid that is somebody else's by now means that the run is over, and about to be told.
    if (run?.slot !== undefined && run.end === undefined && isSameProcess(run.slot)) {
      if (signal === "KILL") this.kill(run, run.slot.pid);
      else await this.deliver(run, run.slot, signal);
    }
    this.options.tell({ news: "signalled", run: name, signal });
  }

  /** Commands that others start beside the run end with it. */
  accompany(name: RunName): void {
    const run = this.runs.find(name);
    if (run) this.sweeper.accompany(name);
    if (run?.end) this.sweeper.clearAfter(name);
  }

  forget(name: RunName): void {
    this.runs.forget(name);
  }

  all(): News {
    this.runs.flush();
    const running = this.runs.running().map(toRunning);
    return { news: "all", running, ended: this.runs.ended() };
  }

  /** Nothing more is started for the pod. */
  leave(pod: string): void {
    this.sandboxes.leave(pod);
  }

  async endAll(): Promise<void> {
    this.dropWaiting();
    for (const run of this.runs.running()) void this.signal(run.run, "KILL");
    while (!this.runs.isIdle) await pause();
  }

  /** Slots that are at a run finish it; the others leave. */
  async close(): Promise<void> {
    clearInterval(this.shrinking);
    clearTimeout(this.againTimer);
    this.sweeper.close();
    this.adopted.close();
    this.pool.dismissAll();
    const isLast = this.runs.isIdle;
    this.runs.close();
    await this.sandboxes.close({ isLast });
  }

  /** What an earlier spawner left: runs to watch, files of slots that nobody will read. */
  private adopt(): void {
    const { directory } = this.options;
    const unfinished = this.runs.running();
    const used = new Set(unfinished.map(({ slot }) => slotFile(directory, slot?.slot ?? "")));
    for (const name of readdirSync(directory)) {
      const file = join(directory, name);
      if (name.startsWith("slot-") && !used.has(file)) removeNotes(file);
    }
    this.sandboxes.sweep((slot) => used.has(slotFile(directory, slot)));
    for (const run of unfinished) this.adopted.add(run);
  }

  private tellAgain(run: RecordedRun): void {
    this.options.tell({ news: "started", ...toRunning(run) });
    if (run.end !== undefined) this.options.tell({ news: "ended", ...run.end });
  }

  /** Of a sandbox that an earlier spawner made: what leads it. */
  private findElder(pod: string): number | undefined {
    const isKin = ({ run, slot }: RecordedRun) =>
      isSandboxSlot(slot?.slot ?? "") && parseRunName(run).podUid === pod;
    const elder = this.runs.running().find(isKin)?.slot;
    return elder && isSameProcess(elder) ? childOf(elder.pid) : undefined;
  }

  private assign(start: Start, slot: Slot): Begun {
    this.waiting.delete(start.order.run);
    // What its file says of earlier runs must be on record before it is emptied.
    if (slot.isFileLong) this.runs.flush();
    if (slot.isFileLong) slot.emptyFile();
    const { run: name, place } = start.order;
    const run: RecordedRun = {
      number: this.runs.nextNumber(),
      run: name,
      startedMs: Date.now(),
      slot: slot.identity,
      ...(place === undefined ? {} : { place }),
      isKilled: false,
    };
    this.pool.begin(slot, run);
    return { ...start, run, slot };
  }

  private begin(all: readonly Begun[]): void {
    let lines = "";
    for (const { run, slot } of all) {
      if (!slot.isRecorded) lines += formatSlot(slot.identity);
      slot.isRecorded = true;
      lines += formatBegin(run);
    }
    try {
      this.runs.begin(
        all.map(({ run }) => run),
        lines,
      );
    } catch (error) {
      for (const each of all) this.refuse(each, `record a run: ${describeError(error)}`);
      return;
    }
    for (const each of all) this.hand(each);
  }

  private hand(begun: Begun): void {
    const { order, run, slot, executable } = begun;
    const isCompiled = slot.kind === "compiled";
    let task: string | Buffer;
    try {
      makeLogs(order, isCompiled);
      const limited = this.sandboxes.limitedProcess(slot);
      const { slot: name } = slot.identity;
      if (this.cgroups.enforces(order.limits)) this.cgroups.confine(name, limited, order.limits);
      const marker = this.outerMarker + (order.beside ?? run.run);
      const facts = { number: run.number, executable, marker, ...this.settings.factsOf(order) };
      task = isCompiled ? composeTask(order, facts) : this.sandboxes.compose(order, slot, facts);
    } catch (error) {
      this.refuse(begun, describeError(error));
      return;
    }
    this.sweeper.spare(run.run);
    slot.run(task);
    this.options.tell({ news: "started", ...toRunning(run), ...this.settings.unmet(order) });
  }

  private refuse({ run, slot }: Begun, message: string): void {
    this.runs.undo(run.run);
    this.pool.drop(slot);
    slot.dismiss();
    this.options.tell({ news: "refused", run: run.run, exitCode: NEVER_RAN, message });
  }

  private onEnd(slot: Slot, number: number, status: number): void {
    if (number === 0) this.sandboxes.onWord(slot, status);
    const run = this.pool.findRun(slot);
    if (run?.number !== number) return;
    const remarks = status === 0 ? "" : slot.remarksOn(number);
    this.finish(run, { status, remarks, finishedMs: Date.now() });
    this.sweeper.clearAfter(run.run, slot.kind === "compiled");
    if (this.cgroups.holds(slot.identity.slot)) {
      this.pool.drop(slot);
      slot.dismiss();
    } else if (this.sandboxes.release(slot)) {
      this.pool.drop(slot);
    } else {
      this.pool.release(slot);
    }
    this.startWaiting();
  }

  private onDeath(slot: Slot): void {
    const run = this.pool.findRun(slot);
    this.pool.drop(slot);
    this.sandboxes.drop(slot);
    const notes = slot.notes();
    const found = run && findStatus(notes, run.number);
    if (run !== undefined && found === undefined) {
      void this.finishDead(run, notes);
    } else {
      if (run && found) this.finish(run, { ...found, finishedMs: Date.now() });
      if (run) this.sweeper.clearAfter(run.run);
      this.cleanUp(slot.identity.slot);
    }
    this.startWaiting();
  }

  private finish(run: RecordedRun, ending: Ending): void {
    const slot = run.slot?.slot ?? "";
    const isOutOfMemory = ending.status !== 0 && this.cgroups.wasOutOfMemory(slot);
    const end = composeEnd(run, ending, isOutOfMemory);
    // A folder may be gone that was there a moment ago.
    if (end.exitCode === NEVER_RAN) forgetFolders();
    this.runs.end(end);
  }

  /** Its shell is gone: what is left of it must be gone too before anybody hears of its end. */
  private async finishDead(run: RecordedRun, notes: string): Promise<void> {
    await this.sweeper.end(run.run, run.slot?.pid);
    const slot = run.slot?.slot ?? "";
    const isKilled = this.runs.find(run.run)?.isKilled === true;
    const isOutOfMemory = this.cgroups.wasOutOfMemory(slot);
    this.runs.end(composeDeath(run, { notes, isKilled, isOutOfMemory, finishedMs: Date.now() }));
    this.cleanUp(slot);
  }

  /** The slot is gone. What its file says must be on record before the file goes too. */
  private cleanUp(slot: string): void {
    this.runs.flush();
    removeNotes(slotFile(this.options.directory, slot));
    this.cgroups.remove(slot);
    if (isSandboxSlot(slot)) this.sandboxes.remove(slot);
  }

  private kill(run: RecordedRun, group: number): void {
    this.runs.noteKill(run.run);
    sendSignal(-group, "SIGKILL");
  }

  private deliver({ run }: RecordedRun, slot: SlotIdentity, signal: StopSignal): Promise<void> {
    const isSandboxed = isSandboxSlot(slot.slot);
    const to = { run, slot: slot.pid, isSandboxed, hasEnded: () => this.hasEnded(run) };
    return deliverSignal(to, signal, { sweeper: this.sweeper, longestMs: LONGEST_BEGINNING_MS });
  }

  private hasEnded(run: RunName): boolean {
    return this.runs.find(run)?.end !== undefined;
  }
}
