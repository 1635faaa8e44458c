/**
 * The probes of containers that run: asked in their time, counted, and what follows from them noted
 * in the facts of the pod, which wakes it. What becomes of a container is the plan's to say.
 *
 * Reading order: results (pure: how they count), this file, carry-out with one file for each way to
 * ask. A pod without probes never comes here.
 */
import type { Container, Probe } from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { TellOfPod } from "../admit.ts";
import { factsOf, initsOf, isStarted, mainsOf } from "../pod/facts.ts";
import { probeFound } from "../pod/transitions.ts";
import type { PodRecord } from "../pod-record.ts";
import type { RunId, Running } from "../runtimes/runtime.ts";
import type { ProbeCarrier } from "./carry-out.ts";
import {
  countResult,
  isSettled,
  nextProbeMs,
  type ProbeKind,
  probesOf,
  type Streak,
} from "./results.ts";

export interface ProbesOptions {
  readonly clock: Clock;
  readonly carrier: ProbeCarrier;
  readonly tell: TellOfPod;
  readonly wake: (uid: string) => void;
}

export class Probes {
  /** By the uid of their pods. */
  private readonly probers = new Map<string, Prober[]>();

  constructor(private readonly options: ProbesOptions) {}

  /** Those of runs that began are asked, those of runs that are over are not. */
  follow(record: PodRecord): void {
    const uid = record.pod.metadata.uid ?? "";
    const known = this.probers.get(uid) ?? [];
    const alive = known.filter((prober) => prober.isOfRun(record) || this.end(prober));
    for (const container of probedContainers(record)) {
      const { running } = factsOf(record.facts, container.name);
      if (!running || alive.some((prober) => prober.isAbout(running.id))) continue;
      for (const [kind, probe] of probesOf(container)) {
        const kick = () => this.kick(uid);
        const of = { kind, probe, container, running, kick };
        alive.push(new Prober(this.options, record, of));
      }
    }
    if (alive.length > 0) this.probers.set(uid, alive);
    else this.probers.delete(uid);
  }

  /** The agent is through with the pod. */
  leave(uid: string): void {
    for (const prober of this.probers.get(uid) ?? []) this.end(prober);
    this.probers.delete(uid);
  }

  close(): void {
    for (const probers of this.probers.values()) for (const prober of probers) prober.stop();
    this.probers.clear();
    this.options.carrier.close();
  }

  private end(prober: Prober): false {
    prober.stop();
    const { running, kind } = prober.of;
    this.options.carrier.forget(running.id, kind);
    return false;
  }

  private kick(uid: string): void {
    for (const prober of this.probers.get(uid) ?? []) prober.kick();
  }
}

function probedContainers({ pod }: PodRecord): readonly Container[] {
  return [...initsOf(pod).filter(isSidecar), ...mainsOf(pod)];
}

interface Probed {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly container: Container;
  readonly running: Running;
  /** It has started: whoever waited for that need not wait for its turn. */
  readonly kick: () => void;
}

/** One probe of one run. */
class Prober {
  private streak: Streak | undefined;
  private lastMs: number | undefined;
  private timer: Timer | undefined;
  private readonly ending = new AbortController();

  constructor(
    private readonly options: ProbesOptions,
    private readonly record: PodRecord,
    readonly of: Probed,
  ) {
    this.schedule();
  }

  isAbout({ container, attempt }: RunId): boolean {
    const { id } = this.of.running;
    return id.container === container && id.attempt === attempt;
  }

  isOfRun({ facts }: PodRecord): boolean {
    const { running } = factsOf(facts, this.of.container.name);
    return running !== undefined && this.isAbout(running.id);
  }

  /** Asks at once where it waited for the start of its container. */
  kick(): void {
    if (this.lastMs === undefined || this.timer === undefined) return;
    if (this.streak !== undefined) return;
    this.lastMs = undefined;
    this.schedule();
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.ending.abort();
  }

  private schedule(): void {
    if (this.ending.signal.aborted) return;
    const { clock } = this.options;
    const { startedMs } = this.of.running;
    const dueMs = nextProbeMs(this.of.probe, { startedMs, lastMs: this.lastMs });
    this.timer?.cancel();
    this.timer = clock.schedule(Math.max(0, dueMs - clock.nowMs()), () => void this.turn());
  }

  private async turn(): Promise<void> {
    this.timer = undefined;
    this.lastMs = this.options.clock.nowMs();
    if (!this.isOfRun(this.record) || this.isUnwanted()) {
      this.stop();
      return;
    }
    const isDue = isStarted(factsOf(this.record.facts, this.of.container.name));
    const isOfStart = this.of.kind === "startup";
    const isRunning = this.isShown();
    if (isRunning && isDue !== isOfStart) await this.ask();
    this.schedule();
  }

  /** A pod that is to go is not ended for its health. */
  private isUnwanted(): boolean {
    const { pod, facts } = this.record;
    const isGoing = pod.metadata.deletionTimestamp !== undefined || facts.isRemoved === true;
    return isGoing && this.of.kind !== "readiness";
  }

  private isShown(): boolean {
    return factsOf(this.record.facts, this.of.container.name).postStart === undefined;
  }

  private async ask(): Promise<void> {
    const { carryOut } = this.options.carrier;
    const { kind, probe, container, running } = this.of;
    const { signal } = this.ending;
    const outcome = await carryOut(
      { pod: this.record.pod, container, id: running.id, kind, probe },
      signal,
    );
    if (signal.aborted || !this.isOfRun(this.record)) return;
    const name = NAMES[kind];
    if ("error" in outcome) {
      this.tell(
        "Unhealthy",
        `${name} probe errored and resulted in unknown state: ${outcome.error}`,
      );
      return;
    }
    const { isSuccess, isWarning, output } = outcome;
    if (!isSuccess) this.tell("Unhealthy", `${name} probe failed: ${output}`);
    else if (isWarning) this.tell("ProbeWarning", `${name} probe warning: ${output}`);
    this.count(isSuccess);
  }

  private count(isSuccess: boolean): void {
    const { kind, probe, running, kick } = this.of;
    const { streak, verdict } = countResult(this.streak, isSuccess, probe);
    this.streak = streak;
    if (verdict === undefined) return;
    const before = this.record.facts;
    this.record.facts = probeFound(before, running.id, kind, verdict);
    if (isSettled(kind, verdict)) this.stop();
    if (this.record.facts === before) return;
    this.options.wake(running.id.podUid);
    if (kind === "startup" && verdict) kick();
  }

  private tell(reason: string, message: string): void {
    const container = this.of.container.name;
    this.options.tell(this.record.pod, "Warning", { reason, message, container });
  }
}

const NAMES = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" } as const;
