/**
 * Begins and ends the runs of containers, and tells the pod's record how that went. Nothing here
 * is waited for: the outcome wakes the pod.
 */
import type { Client } from "../api/client.ts";
import type { Pod } from "../api/generated/core.ts";
import { controllerOf } from "../api/owner-reference.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { TellOfPod } from "./admit.ts";
import type { ComposedRun } from "./compose-run.ts";
import { EventAllowance } from "./event-allowance.ts";
import { findContainer } from "./find-container.ts";
import { type FormerPlace, findLiving } from "./former-processes.ts";
import type { Hooks } from "./hooks/hooks.ts";
import type { LogStore } from "./logs/log-store.ts";
import type { Notice } from "./notice.ts";
import { beginningOf } from "./pod/beginnings.ts";
import { hasLife } from "./pod/facts.ts";
import { killingMessage } from "./pod/killing-message.ts";
import type { PodAction } from "./pod/plan.ts";
import { stopSignalOf } from "./pod/stop-signal.ts";
import type { StopAction } from "./pod/termination.ts";
import {
  lastWordsRead,
  runBegan,
  runEnded,
  runWasCondemned,
  runWasRefused,
  startIsHeld,
} from "./pod/transitions.ts";
import { isUnwanted, type PodRecord, WAITING } from "./pod-record.ts";
import { Places, placeOf } from "./predecessors.ts";
import {
  type Exit,
  RunDelayed,
  type RunId,
  type Running,
  RunRefused,
  type Runtime,
  type StopSignal,
} from "./runtimes/runtime.ts";
import { StartLines } from "./start-lines.ts";

type Start = Extract<PodAction, { kind: "start" }>;

export interface RunsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Runtime;
  readonly hooks: Pick<Hooks, "begin" | "cancel">;
  readonly logs: Pick<LogStore, "end">;
  /** What to ask of the runtime, or what is in the way. */
  readonly compose: (pod: Pod, id: RunId) => ComposedRun;
  /** Whether its volumes are there; undefined where there is nothing to wait for. */
  readonly prepare?: (pod: Pod) => Promise<boolean> | undefined;
  readonly lastWords: LastWords;
  /** Whether the pod waits for others that begin with it; then tryAgain says when that is over. */
  readonly mustWait: (pod: Pod) => boolean;
  /** Where processes of its item may live from before its run was resumed. */
  readonly formerPlaces: (pod: Pod) => readonly FormerPlace[];
  /** Whether its Job is there and lets it begin; if not, tryAgain says when that is over. */
  readonly mayBegin: (record: PodRecord) => boolean;
  readonly tell: TellOfPod;
  readonly wake: (uid: string) => void;
  readonly find: (uid: string) => PodRecord | undefined;
}

/** What a run left to say when it ended, at once where there is nothing to be read for it. */
export type LastWords = (pod: Pod, exit: Exit) => Promise<string | undefined> | undefined;

const HELD = "WaitingForPredecessor";
const RETRY_MS = 1_000;

export class Runs {
  private readonly places = new Places();
  /** Pods with a container that could not be composed. */
  private readonly uncomposed = new Set<PodRecord>();
  /** Processes whose pods are gone: nobody knows whose places they are in. */
  private readonly strays = new Set<string>();
  private readonly heldByStrays = new Set<PodRecord>();
  /** Runs that are ended for what they did, and what is told of them. */
  private readonly condemned = new Map<string, Notice>();
  private readonly allowance = new EventAllowance();
  private readonly lines = new StartLines();

  constructor(private readonly options: RunsOptions) {}

  /**
   * A pod that was found running has its place before any other pod can take it. The place is the
   * one that was recorded when its process began: clients may have edited the pod since.
   */
  adopt(record: PodRecord, running: readonly Running[]): void {
    if (!hasLife(record.facts)) return;
    const recorded = running.find((run) => run.place !== undefined)?.place;
    const place = recorded ?? placeOf(record.pod);
    if (place !== undefined) this.places.take(place, uidOf(record.pod));
  }

  get hasStrays(): boolean {
    return this.strays.size > 0;
  }

  addStray(id: RunId): void {
    this.strays.add(keyOf(id));
  }

  strayEnded(id: RunId): void {
    if (!this.strays.delete(keyOf(id)) || this.strays.size > 0) return;
    const held = [...this.heldByStrays];
    this.heldByStrays.clear();
    for (const record of held) this.release(record);
  }

  start(record: PodRecord, action: Start): void {
    void this.tryToStart(record, action);
  }

  private async tryToStart(record: PodRecord, { container, attempt }: Start): Promise<void> {
    const { client, runtime, compose, tell, wake } = this.options;
    const uid = uidOf(record.pod);
    const id: RunId = { podUid: uid, container, attempt };
    const line = this.lines.join(controllerOf(record.pod)?.uid);
    try {
      const holder = this.findHolder(record);
      if (holder !== undefined) {
        const message = `waiting for the former process of this index (${holder}) to be gone`;
        record.facts = startIsHeld(record.facts, container, { reason: HELD, message });
        tell(record.pod, "Normal", { reason: HELD, message });
        return;
      }
      if (this.options.mustWait(record.pod)) {
        record.facts = startIsHeld(record.facts, container, WAITING.forPeers);
        return;
      }
      // A process is claimed by a pod that a crash cannot take back.
      await client.durable(record.pod.metadata.resourceVersion ?? "");
      if (this.isDropped(record, container)) return;
      const preparing = this.options.prepare?.(record.pod);
      if (preparing !== undefined && !(await this.isPrepared(record, container, preparing))) return;
      // Its Job began others before it, of which the runtime is to hear first.
      await line.before;
      // After the last await: its Job may have been paused or replaced meanwhile.
      if (this.isDropped(record, container)) return;
      if (!this.options.mayBegin(record)) {
        record.facts = startIsHeld(record.facts, container, WAITING.forJob);
        this.leave(record);
        return;
      }
      const request = compose(record.pod, id);
      if ("problem" in request) {
        record.facts = startIsHeld(record.facts, container, request.problem);
        this.uncomposed.add(record);
        const message = `Error: ${request.problem.message}`;
        tell(record.pod, "Warning", { reason: "Failed", message, container });
        return;
      }
      const place = this.places.find(uid);
      const starting = runtime.start(place === undefined ? request : { ...request, place });
      line.leave();
      const running = await starting;
      const beginning = beginningOf(findContainer(record.pod, container));
      record.facts = runBegan(record.facts, running, beginning);
      if (this.mayTellRoutine(record)) {
        for (const notice of STARTED) tell(record.pod, "Normal", { ...notice, container });
      }
    } catch (error) {
      this.startFailed(record, id, error);
    } finally {
      line.leave();
      wake(uid);
    }
  }

  /** Whether it was asked to end before it began. */
  private isDropped(record: PodRecord, container: string): boolean {
    if (!isUnwanted(record)) return false;
    record.facts = startIsHeld(record.facts, container, undefined);
    this.leave(record);
    return true;
  }

  /** It waits as a container does that is being created. */
  private async isPrepared(
    record: PodRecord,
    container: string,
    preparing: Promise<boolean>,
  ): Promise<boolean> {
    if (await preparing) return true;
    const hasInits = (record.pod.spec.initContainers?.length ?? 0) > 0;
    const waiting = { reason: hasInits ? "PodInitializing" : "ContainerCreating" };
    record.facts = startIsHeld(record.facts, container, waiting);
    return false;
  }

  /** Who or what is in the pod's place; undefined when it is the pod's own. */
  private findHolder(record: PodRecord): string | undefined {
    const place = placeOf(record.pod);
    if (place === undefined) return undefined;
    if (this.strays.size > 0) {
      this.heldByStrays.add(record);
      return "of a pod that is gone";
    }
    const uid = uidOf(record.pod);
    const { find, formerPlaces } = this.options;
    const former = findLiving(this.places, formerPlaces(record.pod), find);
    if (former) this.places.waitFor(former.place, uid);
    const holder = former?.holder ?? this.places.take(place, uid);
    if (holder === undefined) return undefined;
    return `pod ${find(holder)?.pod.metadata.name ?? holder}`;
  }

  /** A pod that somebody made by hand is looked at, one of thousands is not. */
  private mayTellRoutine({ pod }: PodRecord): boolean {
    if (controllerOf(pod) === undefined) return true;
    return this.allowance.take(this.options.clock.monotonicMs());
  }

  private startFailed(record: PodRecord, id: RunId, error: unknown): void {
    const { clock, log, logs, tell } = this.options;
    const { container } = id;
    // Whoever follows what it prints need not wait for more.
    logs.end(id);
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof RunDelayed) {
      // What is told of it was told when it was tried.
      const waiting = text === "" ? undefined : { reason: error.reason, message: text };
      record.facts = startIsHeld(record.facts, container, waiting);
      clock.schedule(error.againInMs, () => this.tryAgain(record));
      this.leave(record);
      return;
    }
    if (error instanceof RunRefused) {
      record.facts = runWasRefused(record.facts, id, error, clock.nowMs());
    } else {
      log.error("a run could not be started", { ...id, error });
      const waiting = { reason: "CreateContainerError", message: text };
      record.facts = startIsHeld(record.facts, container, waiting);
      clock.schedule(RETRY_MS, () => this.tryAgain(record));
    }
    tell(record.pod, "Warning", { reason: "Failed", message: `Error: ${text}`, container });
    this.leave(record);
  }

  /** What could not be composed may be tried again: something it may have lacked is there. */
  retryHeld(namespace: string | undefined): void {
    for (const record of this.uncomposed) {
      if (record.pod.metadata.namespace === namespace) this.tryAgain(record);
    }
  }

  /** Nobody but a predecessor keeps it from being started any more. */
  tryAgain(record: PodRecord): void {
    this.uncomposed.delete(record);
    for (const [name, { waiting }] of Object.entries(record.facts.containers)) {
      if (waiting === undefined || waiting.reason === HELD) continue;
      record.facts = startIsHeld(record.facts, name, undefined);
    }
    this.options.wake(uidOf(record.pod));
  }

  postStart(record: PodRecord, container: string): void {
    const running = record.facts.containers[container]?.running;
    if (running) this.options.hooks.begin(record, running.id, "postStart");
  }

  preStop(record: PodRecord, container: string, why: StopAction["why"]): void {
    const { hooks } = this.options;
    const running = record.facts.containers[container]?.running;
    if (!running) return;
    hooks.cancel(running.id, "postStart");
    this.tellKilling(record, container, why);
    hooks.begin(record, running.id, "preStop");
  }

  stop(record: PodRecord, container: string, why: StopAction["why"]): void {
    const { running, preStop } = record.facts.containers[container] ?? {};
    if (running) this.options.hooks.cancel(running.id, "postStart");
    if (preStop === undefined) this.tellKilling(record, container, why);
    this.signal(record, container, stopSignalOf(record.pod, container));
  }

  private tellKilling(record: PodRecord, container: string, why: StopAction["why"]): void {
    if (!this.mayTellRoutine(record)) return;
    const message = killingMessage(record, container, why);
    this.options.tell(record.pod, "Normal", { reason: "Killing", message, container });
  }

  /** It is killed for what it did, and failed whatever it ends with. */
  condemn(id: RunId, notice: Notice): void {
    const { runtime, log } = this.options;
    this.condemned.set(keyOf(id), notice);
    runtime.signal(id, "KILL").catch((error) => {
      log.warn("a signal could not be sent", { ...id, error });
    });
  }

  kill(record: PodRecord, container: string): void {
    this.signal(record, container, "KILL");
  }

  private signal(record: PodRecord, container: string, signal: StopSignal): void {
    const { runtime, log } = this.options;
    const running = record.facts.containers[container]?.running;
    if (!running) return;
    runtime.signal(running.id, signal).catch((error) => {
      log.warn("a signal could not be sent", { ...running.id, signal, error });
    });
  }

  ended(record: PodRecord, exit: Exit): void {
    const { hooks } = this.options;
    hooks.cancel(exit.id, "postStart");
    hooks.cancel(exit.id, "preStop");
    record.ended.push(exit.id);
    if (exit.problem !== undefined) {
      this.neverBegan(record, exit, exit.problem);
    } else {
      record.facts = runEnded(record.facts, exit);
      this.hearOut(record, exit);
    }
    this.leave(record);
  }

  /** What looked possible turned out not to be: a directory is gone, or there is no room. */
  private neverBegan(record: PodRecord, exit: Exit, message: string): void {
    const { container } = exit.id;
    record.facts = runEnded(record.facts, exit, { refusal: { reason: "StartError", message } });
    const notice = { reason: "Failed", message: `Error: ${message}`, container };
    this.options.tell(record.pod, "Warning", notice);
  }

  hearOut(record: PodRecord, exit: Exit): void {
    const verdict = this.condemned.size > 0 ? this.takeVerdict(exit.id) : undefined;
    if (verdict) {
      record.facts = runWasCondemned(record.facts, exit.id, verdict);
      return;
    }
    const words = this.options.lastWords(record.pod, exit);
    if (words !== undefined) void this.readLastWords(record, exit, words);
  }

  private takeVerdict(id: RunId): Notice | undefined {
    const key = keyOf(id);
    const verdict = this.condemned.get(key);
    this.condemned.delete(key);
    return verdict;
  }

  private async readLastWords(
    record: PodRecord,
    exit: Exit,
    words: Promise<string | undefined>,
  ): Promise<void> {
    record.reading++;
    const message = await words.catch(() => undefined);
    record.reading--;
    if (message !== undefined) record.facts = lastWordsRead(record.facts, exit.id, message);
    this.options.wake(uidOf(record.pod));
  }

  /** The agent is through with it. */
  dismiss(record: PodRecord): void {
    this.uncomposed.delete(record);
    this.heldByStrays.delete(record);
    this.leave(record);
  }

  /** Where nothing of the pod is alive, its place is free. */
  private leave(record: PodRecord): void {
    if (hasLife(record.facts)) return;
    for (const uid of this.places.leave(uidOf(record.pod))) {
      const waiting = this.options.find(uid);
      if (waiting) this.release(waiting);
    }
  }

  private release(record: PodRecord): void {
    for (const [name, { waiting }] of Object.entries(record.facts.containers)) {
      if (waiting?.reason === HELD) record.facts = startIsHeld(record.facts, name, undefined);
    }
    this.options.wake(uidOf(record.pod));
  }
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? "";
}

function keyOf({ podUid, container, attempt }: RunId): string {
  return `${podUid}/${container}/${attempt}`;
}

const STARTED: readonly Notice[] = [
  { reason: "Created", message: "Container created" },
  { reason: "Started", message: "Container started" },
];
