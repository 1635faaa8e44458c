/**
 * A simulation of one pod on one node. It carries out the actions planned for the pod, ends its
 * processes according to their fates, and makes the agent forget everything at the times given.
 */
import type { PodFacts } from "../../src/agent/pod/facts.ts";
import { type PodAction, planPod } from "../../src/agent/pod/plan.ts";
import { recallPod } from "../../src/agent/pod/recall.ts";
import { composePodStatus } from "../../src/agent/pod/status.ts";
import {
  actionBegan,
  postStartEnded,
  preStopEnded,
  runBegan,
  runEnded,
  runWasRefused,
} from "../../src/agent/pod/transitions.ts";
import type { Exit, RunId, Running } from "../../src/agent/runtimes/runtime.ts";
import type { Container, Pod, PodStatus } from "../../src/api/generated/core.ts";
import { accepted, boundPod, deletion, T0, UID } from "./pod-facts.ts";

/** How one run goes. */
export interface Fate {
  readonly exitCode: number;
  readonly runSeconds: number;
  readonly startMs: number;
  /** Undefined: it ignores its stop signal. */
  readonly stopMs?: number;
  readonly isRefused?: boolean;
  /** Duration of both hooks, if the container has them; undefined: they never finish. */
  readonly hookMs?: number;
  readonly failsHooks?: boolean;
}

export interface PodStory {
  readonly spec: { readonly [key: string]: unknown };
  /** By container, in order of its attempts. The last fate applies to all further attempts. */
  readonly fates: { readonly [container: string]: readonly Fate[] };
  readonly deletedAtSeconds: number;
  readonly graceSeconds: number;
  readonly evictedAtSeconds?: number;
  /** When the agent crashes and forgets everything. */
  readonly crashesAtSeconds: readonly number[];
  /** A status that does not end the pod is written this much later, combined with later changes. */
  readonly tellAfterMs: number;
}

/** Callbacks that check laws. */
export interface Witness {
  acts?(world: PodWorld, action: PodAction): void;
  tells?(world: PodWorld, next: PodStatus): void;
}

interface Timed {
  readonly atMs: number;
  readonly happen: () => void;
}

const ADDRESSES = accepted().addresses;
const MAX_LOOKS = 5_000;

export class PodWorld {
  pod: Pod;
  facts: PodFacts = accepted();
  nowMs = T0;
  isRemoved = false;
  statusWrites = 0;
  readonly processes = new Map<string, Running>();
  readonly starting = new Set<string>();
  readonly ended: Exit[] = [];
  #timed: Timed[] = [];
  #life = 0;
  #untoldSinceMs: number | undefined;

  constructor(
    readonly story: PodStory,
    private readonly witness: Witness = {},
  ) {
    this.pod = boundPod({ spec: story.spec });
  }

  get containers(): readonly Container[] {
    return [...(this.pod.spec.initContainers ?? []), ...(this.pod.spec.containers ?? [])];
  }

  isAlive(name: string): boolean {
    return this.processes.has(name);
  }

  lastEnd(name: string): Exit | undefined {
    return this.ended.findLast(({ id }) => id.container === name);
  }

  /** Runs until nothing is left to happen. */
  run(): this {
    const { story } = this;
    this.#at(T0 + story.deletedAtSeconds * 1000, () => this.#delete());
    for (const seconds of story.crashesAtSeconds) {
      this.#at(T0 + seconds * 1000, () => this.#forget());
    }
    const { evictedAtSeconds } = story;
    if (evictedAtSeconds !== undefined) {
      const sinceMs = T0 + evictedAtSeconds * 1000;
      const eviction = { reason: "Terminated", message: "m", sinceMs };
      this.#at(sinceMs, () => this.#know({ ...this.facts, eviction }));
    }
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      const lookMs = this.#look();
      if (this.isRemoved || !this.#advance(lookMs)) return this;
    }
    throw new Error("the pod does not come to rest");
  }

  /** Returns when to look again if nothing else happens: at once if the status was written. */
  #look(): number | undefined {
    const { actions, againInMs } = planPod(this.pod, this.facts, this.nowMs);
    for (const action of actions) {
      this.witness.acts?.(this, action);
      this.facts = actionBegan(this.facts, action, this.nowMs);
      this.#carryOut(action);
    }
    if (this.isRemoved) return undefined;
    const tellInMs = this.#tell();
    const dueMs = [againInMs, tellInMs].filter((due) => due !== undefined);
    return dueMs.length === 0 ? undefined : this.nowMs + Math.min(...dueMs);
  }

  #tell(): number | undefined {
    const next = composePodStatus(this.pod, this.facts, this.nowMs);
    if (next === this.pod.status) {
      this.#untoldSinceMs = undefined;
      return undefined;
    }
    const isOver = next.phase === "Succeeded" || next.phase === "Failed";
    this.#untoldSinceMs ??= this.nowMs;
    const waitMs = this.#untoldSinceMs + this.story.tellAfterMs - this.nowMs;
    if (!isOver && waitMs > 0) return waitMs;
    this.#untoldSinceMs = undefined;
    this.witness.tells?.(this, next);
    this.pod = { ...this.pod, status: next };
    this.statusWrites++;
    return 0;
  }

  #advance(lookMs: number | undefined): boolean {
    const [next] = this.#timed;
    if (next === undefined || (lookMs !== undefined && lookMs < next.atMs)) {
      if (lookMs === undefined) return false;
      this.nowMs = Math.max(this.nowMs, lookMs);
      return true;
    }
    this.#timed.shift();
    this.nowMs = Math.max(this.nowMs, next.atMs);
    next.happen();
    return true;
  }

  #carryOut(action: PodAction): void {
    switch (action.kind) {
      case "start":
        this.#start(action.container, action.attempt);
        return;
      case "postStart":
        this.#hook(action.container, (id, hasFailed) => postStartEnded(this.facts, id, hasFailed));
        return;
      case "preStop":
        for (const name of action.containers) {
          this.#hook(name, (id) => preStopEnded(this.facts, id));
        }
        return;
      case "stop":
        for (const name of action.containers) this.#stop(name);
        return;
      case "kill":
        for (const name of action.containers) this.#end(this.processes.get(name), 137);
        return;
      case "renew":
        return;
      case "remove":
        this.isRemoved = true;
    }
  }

  #start(container: string, attempt: number): void {
    const id = { podUid: UID, container, attempt };
    const fate = this.#fateOf(container, attempt);
    this.starting.add(container);
    this.#later(fate.startMs, () => {
      this.starting.delete(container);
      if (fate.isRefused) {
        const refused = { exitCode: 127, reason: "StartError", message: "no such command" };
        this.#know(runWasRefused(this.facts, id, refused, this.nowMs));
        const now = this.nowMs;
        this.ended.push({ id, exitCode: 127, startedMs: now, finishedMs: now });
        return;
      }
      const running = { id, pid: 1, startedMs: this.nowMs };
      this.processes.set(container, running);
      const { lifecycle } = this.containers.find(({ name }) => name === container) ?? {};
      const hasPostStart = lifecycle?.postStart !== undefined;
      this.#know(runBegan(this.facts, running, { hasPostStart }));
      this.#at(this.nowMs + fate.runSeconds * 1000, () => this.#end(running, fate.exitCode));
    });
  }

  #hook(name: string, end: (id: RunId, hasFailed: boolean) => PodFacts): void {
    const { id } = this.processes.get(name) ?? {};
    if (id === undefined) return;
    const { hookMs, failsHooks = false } = this.#fateOf(name, id.attempt);
    if (hookMs !== undefined) this.#later(hookMs, () => this.#know(end(id, failsHooks)));
  }

  #stop(name: string): void {
    const running = this.processes.get(name);
    if (running === undefined) return;
    const { stopMs } = this.#fateOf(name, running.id.attempt);
    if (stopMs !== undefined) this.#at(this.nowMs + stopMs, () => this.#end(running, 143));
  }

  /** A process ends whether or not an agent is there to observe it. */
  #end(running: Running | undefined, exitCode: number): void {
    if (running === undefined) return;
    const { id, startedMs } = running;
    if (this.processes.get(id.container) !== running) return;
    this.processes.delete(id.container);
    const exit: Exit = { id, exitCode, startedMs, finishedMs: this.nowMs };
    this.ended.push(exit);
    this.#know(runEnded(this.facts, exit));
  }

  #delete(): void {
    const { graceSeconds, deletedAtSeconds } = this.story;
    const metadata = { ...this.pod.metadata, ...deletion(deletedAtSeconds, graceSeconds) };
    this.pod = { ...this.pod, metadata };
  }

  #forget(): void {
    this.#life++;
    this.starting.clear();
    const running = [...this.processes.values()];
    const { eviction } = this.facts;
    const recalled = recallPod(this.pod, { running, ended: this.ended }, this.nowMs);
    this.facts = {
      acceptedMs: this.nowMs,
      ...recalled,
      ...(ADDRESSES ? { addresses: ADDRESSES } : {}),
      ...(eviction ? { eviction } : {}),
    };
  }

  #fateOf(container: string, attempt: number): Fate {
    const fates = this.story.fates[container] ?? [];
    return fates[attempt] ?? fates.at(-1) ?? { exitCode: 0, runSeconds: 1, startMs: 1 };
  }

  #know(facts: PodFacts): void {
    this.facts = facts;
  }

  /** Schedules something that is cancelled if the agent crashes first. */
  #later(delayMs: number, happen: () => void): void {
    const life = this.#life;
    this.#at(this.nowMs + delayMs, () => {
      if (life === this.#life) happen();
    });
  }

  #at(atMs: number, happen: () => void): void {
    this.#timed.push({ atMs, happen });
    this.#timed.sort((one, other) => one.atMs - other.atMs);
  }
}
