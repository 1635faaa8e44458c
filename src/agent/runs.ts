/**
 * Begins and ends the runs of containers, and tells the pod's record how that went. Nothing here
 * is waited for: the outcome wakes the pod.
 */
import type { Client } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { Pod } from "../api/generated/core.ts";
import { pods } from "../api/resources.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { TellOfPod } from "./admit.ts";
import type { ComposedRun } from "./compose-run.ts";
import { findContainer } from "./find-container.ts";
import { hasLife } from "./pod/facts.ts";
import type { PodAction } from "./pod/plan.ts";
import {
  runBegan,
  runEnded,
  runWasRefused,
  startIsHeld,
  stopWasSignalled,
} from "./pod/transitions.ts";
import type { PodRecord } from "./pod-record.ts";
import { Places, placeOf } from "./predecessors.ts";
import {
  type Exit,
  type RunId,
  RunRefused,
  type Runtime,
  type StopSignal,
} from "./runtimes/runtime.ts";

type Start = Extract<PodAction, { kind: "start" }>;
type Stop = Extract<PodAction, { kind: "stop" }>;

export interface RunsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Runtime;
  /** What to ask of the runtime, or what is in the way. */
  readonly compose: (pod: Pod, id: RunId) => ComposedRun;
  /** What a run left to say when it ended. */
  readonly lastWords: (pod: Pod, exit: Exit) => Promise<string | undefined>;
  readonly tell: TellOfPod;
  readonly wake: (uid: string) => void;
  readonly find: (uid: string) => PodRecord | undefined;
}

const HELD = "WaitingForPredecessor";
const RETRY_MS = 1_000;

export class Runs {
  private readonly places = new Places();
  /** Pods with a container that could not be composed. */
  private readonly uncomposed = new Set<PodRecord>();
  /** Processes whose pods are gone: nobody knows whose places they are in. */
  private readonly strays = new Set<string>();
  private readonly heldByStrays = new Set<PodRecord>();

  constructor(private readonly options: RunsOptions) {}

  /** What was found running has its place, whoever comes first. */
  adopt(record: PodRecord): void {
    const place = placeOf(record.pod);
    if (place !== undefined && hasLife(record.facts)) this.places.take(place, uidOf(record.pod));
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
    try {
      const holder = this.findHolder(record);
      if (holder !== undefined) {
        const message = `waiting for the former process of this index (${holder}) to be gone`;
        record.facts = startIsHeld(record.facts, container, { reason: HELD, message });
        tell(record.pod, "Normal", { reason: HELD, message });
        return;
      }
      // A process is claimed by a pod that a crash cannot take back.
      await client.durable(record.pod.metadata.resourceVersion ?? "");
      if (isUnwanted(record)) {
        record.facts = startIsHeld(record.facts, container, undefined);
        this.leave(record);
        return;
      }
      const request = compose(record.pod, id);
      if ("problem" in request) {
        record.facts = startIsHeld(record.facts, container, request.problem);
        this.uncomposed.add(record);
        tell(record.pod, "Warning", { reason: "Failed", message: request.problem.message });
        return;
      }
      const running = await runtime.start(request);
      record.facts = runBegan(record.facts, running);
    } catch (error) {
      this.startFailed(record, id, error);
    } finally {
      wake(uid);
    }
  }

  /** Who or what is in the pod's place; undefined when it is the pod's own. */
  private findHolder(record: PodRecord): string | undefined {
    const place = placeOf(record.pod);
    if (place === undefined) return undefined;
    if (this.strays.size > 0) {
      this.heldByStrays.add(record);
      return "of a pod that is gone";
    }
    const holder = this.places.take(place, uidOf(record.pod));
    if (holder === undefined) return undefined;
    return `pod ${this.options.find(holder)?.pod.metadata.name ?? holder}`;
  }

  private startFailed(record: PodRecord, id: RunId, error: unknown): void {
    const { clock, log, tell } = this.options;
    const { container } = id;
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof RunRefused) {
      record.facts = runWasRefused(record.facts, id, error, clock.nowMs());
    } else {
      log.error("a run could not be started", { ...id, error });
      const waiting = { reason: "CreateContainerError", message: text };
      record.facts = startIsHeld(record.facts, container, waiting);
      clock.schedule(RETRY_MS, () => this.retry(record));
    }
    tell(record.pod, "Warning", { reason: "Failed", message: `Error: ${text}` });
    this.leave(record);
  }

  /** What could not be composed may be tried again: something it may have lacked is there. */
  retryHeld(namespace: string | undefined): void {
    for (const record of this.uncomposed) {
      if (record.pod.metadata.namespace === namespace) this.retry(record);
    }
  }

  private retry(record: PodRecord): void {
    this.uncomposed.delete(record);
    for (const [name, { waiting }] of Object.entries(record.facts.containers)) {
      if (waiting === undefined || waiting.reason === HELD) continue;
      record.facts = startIsHeld(record.facts, name, undefined);
    }
    this.options.wake(uidOf(record.pod));
  }

  stop(record: PodRecord, container: string, _action: Stop): void {
    const { clock, tell } = this.options;
    const message = `Stopping container ${container}`;
    tell(record.pod, "Normal", { reason: "Killing", message });
    this.signal(record, container, stopSignalOf(record.pod, container));
    record.facts = stopWasSignalled(record.facts, container, clock.nowMs());
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
    record.ended.push(exit.id);
    record.facts = runEnded(record.facts, exit);
    this.leave(record);
    this.hearOut(record, exit);
  }

  hearOut(record: PodRecord, exit: Exit): void {
    if (exit.exitCode === 0 && !hasMessageOnSuccess(record.pod, exit.id.container)) return;
    void this.readLastWords(record, exit);
  }

  private async readLastWords(record: PodRecord, exit: Exit): Promise<void> {
    record.reading++;
    const message = await this.options.lastWords(record.pod, exit).catch(() => undefined);
    record.reading--;
    const { container, attempt } = exit.id;
    const known = record.facts.containers[container];
    if (message !== undefined && known?.last?.id.attempt === attempt) {
      const told = { ...known, terminationMessage: message };
      record.facts = {
        ...record.facts,
        containers: { ...record.facts.containers, [container]: told },
      };
    }
    this.options.wake(uidOf(record.pod));
  }

  removeObject(client: Client, record: PodRecord): void {
    const { namespace = "", name = "" } = record.pod.metadata;
    const preconditions = { uid: uidOf(record.pod) };
    client
      .delete(pods, { namespace, name }, { gracePeriodSeconds: 0, preconditions })
      .catch((error) => {
        const isGone = error instanceof ApiError && ["NotFound", "Conflict"].includes(error.reason);
        if (isGone) return;
        const { clock, log, wake } = this.options;
        log.warn("a pod could not be removed", { name, error });
        clock.schedule(RETRY_MS, () => wake(uidOf(record.pod)));
      });
  }

  /** The agent is through with it. */
  dismiss(record: PodRecord): void {
    this.uncomposed.delete(record);
    this.heldByStrays.delete(record);
    this.leave(record);
  }

  /** Where nothing of the pod is alive, its place is free. */
  private leave(record: PodRecord): void {
    const place = placeOf(record.pod);
    if (place === undefined || hasLife(record.facts)) return;
    for (const uid of this.places.leave(place, uidOf(record.pod))) {
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

/** It was asked to end before it began. */
function isUnwanted({ pod, facts }: PodRecord): boolean {
  return (
    facts.isRemoved === true ||
    facts.eviction !== undefined ||
    pod.metadata.deletionTimestamp !== undefined
  );
}

const SIGNALS: readonly StopSignal[] = ["TERM", "KILL", "INT", "QUIT", "HUP", "USR1", "USR2"];

function stopSignalOf(pod: Pod, name: string): StopSignal {
  const asked = findContainer(pod, name)?.lifecycle?.stopSignal?.replace(/^SIG/, "");
  return SIGNALS.find((signal) => signal === asked) ?? "TERM";
}

function hasMessageOnSuccess(pod: Pod, name: string): boolean {
  return findContainer(pod, name)?.terminationMessagePath !== "/dev/termination-log";
}
