/**
 * Pure: the pods that wait for a node, by priority, then in order of arrival.
 *
 * Pods with the same needs form a group. If no node fits the first pod of a group, the refusal
 * holds for the whole group until something changes on the nodes, so that it is not evaluated again
 * for every pod.
 */
import type { Refusal } from "./decide.ts";
import type { PodNeeds } from "./needs.ts";

export interface PendingPod {
  readonly key: string;
  readonly uid: string;
  readonly needs: PodNeeds;
  readonly sinceMs: number;
  /**
   * The node where pods are preempted for it. It waits for that node, separately from its former
   * group.
   */
  readonly nominatedNode?: string;
}

export interface UntoldPod {
  readonly pod: PendingPod;
  readonly message: string;
}

export interface Telling {
  readonly pods: readonly UntoldPod[];
  /** When more pods have to be told, if nothing changes. */
  readonly delayMs?: number;
}

/** A pod that is placed within this time is not reported as unschedulable. */
export const PATIENCE_MS = 1000;
/**
 * The reason may change whenever a pod comes or goes. A new reason is reported at most this often.
 */
export const RETELL_MS = 10_000;

/** With fewer removed pods than this, copying the remaining ones costs more than it frees. */
const MIN_COMPACTION = 1024;

interface Queued {
  readonly pod: PendingPod;
  readonly order: number;
}

interface Group {
  readonly key: string;
  readonly priority: number;
  items: Queued[];
  /** The position of the first pod that has not been taken. */
  head: number;
  refusal: Refusal | undefined;
  told: { readonly message: string; readonly sinceMs: number } | undefined;
  /** The position of the first pod that has not been told the current reason. */
  untold: number;
}

export class PendingPods {
  readonly #pods = new Map<string, PendingPod>();
  readonly #groups = new Map<string, Group>();
  #orders = 0;

  get size(): number {
    return this.#pods.size;
  }

  /** How many pods wait for something to change on the nodes. */
  refused(): number {
    let count = 0;
    for (const group of this.#groups.values()) {
      if (group.refusal) count += group.items.length - group.head;
    }
    return Math.min(count, this.#pods.size);
  }

  /** Every waiting pod, and the reason if no node fits. */
  *list(): Iterable<{ readonly pod: PendingPod; readonly refusal?: string }> {
    for (const pod of this.#pods.values()) {
      const message = this.#groups.get(groupOf(pod))?.refusal?.message;
      yield message === undefined ? { pod } : { pod, refusal: message };
    }
  }

  find(key: string): PendingPod | undefined {
    return this.#pods.get(key);
  }

  add(pod: PendingPod): void {
    this.#pods.set(pod.key, pod);
    const key = groupOf(pod);
    let group = this.#groups.get(key);
    if (!group) {
      group = newGroup(key, pod.needs.priority);
      this.#groups.set(key, group);
    }
    this.#orders += 1;
    group.items.push({ pod, order: this.#orders });
  }

  remove(key: string): void {
    this.#pods.delete(key);
  }

  /** The next pod to place; it stays in the queue. */
  first(): PendingPod | undefined {
    let best: Group | undefined;
    for (const group of this.#groups.values()) {
      if (group.refusal || !this.#trim(group)) continue;
      if (!best || isBefore(group, best)) best = group;
    }
    return best?.items[best.head]?.pod;
  }

  /** Moves the pod out of its group, because the rest of the group may have to wait longer. */
  nominate(pod: PendingPod, node: string): PendingPod {
    const nominated = { ...pod, nominatedNode: node };
    this.add(nominated);
    return nominated;
  }

  /** All pods with the same needs wait from now on. */
  refuse(pod: PendingPod, { message, isHopeless }: Refusal): void {
    const group = this.#groups.get(groupOf(pod));
    if (group) group.refusal = { message, isHopeless };
  }

  /** Something changed: all groups may be tried again. */
  reconsider(): void {
    for (const group of this.#groups.values()) group.refusal = undefined;
  }

  /** Returns up to `limit` waiting pods that were not told the reason yet. */
  takeUntold(nowMs: number, limit: number): Telling {
    const pods: UntoldPod[] = [];
    const delays: number[] = [];
    for (const group of this.#groups.values()) {
      if (!group.refusal || !this.#trim(group)) continue;
      const delayMs = this.#takeFrom(group, group.refusal, { nowMs, limit, pods });
      if (delayMs !== undefined) delays.push(delayMs);
    }
    return delays.length === 0 ? { pods } : { pods, delayMs: Math.min(...delays) };
  }

  /** The write failed: tell the group again. */
  retell(pod: PendingPod): void {
    const group = this.#groups.get(groupOf(pod));
    if (group) group.told = undefined;
  }

  /** Returns when more pods of the group have to be told, or undefined. */
  #takeFrom(
    group: Group,
    { message, isHopeless }: Refusal,
    { nowMs, limit, pods }: Taking,
  ): number | undefined {
    const { told } = group;
    if (told?.message !== message) {
      const waitMs = told ? told.sinceMs + RETELL_MS - nowMs : 0;
      if (waitMs > 0) return waitMs;
      group.told = { message, sinceMs: nowMs };
      group.untold = group.head;
    }
    const patienceMs = isHopeless ? 0 : PATIENCE_MS;
    for (; group.untold < group.items.length; group.untold++) {
      const pod = group.items[group.untold]?.pod;
      if (!pod || this.#pods.get(pod.key) !== pod) continue;
      const waitMs = pod.sinceMs + patienceMs - nowMs;
      if (waitMs > 0) return waitMs;
      if (pods.length >= limit) return 0;
      pods.push({ pod, message });
    }
    return undefined;
  }

  /** Drops taken and removed pods from the front. Returns false if the group is empty. */
  #trim(group: Group): boolean {
    for (; group.head < group.items.length; group.head++) {
      const pod = group.items[group.head]?.pod;
      if (pod && this.#pods.get(pod.key) === pod) break;
    }
    if (group.head === group.items.length) {
      this.#groups.delete(group.key);
      return false;
    }
    if (group.head >= MIN_COMPACTION && group.head * 2 >= group.items.length) {
      group.items = group.items.slice(group.head);
      group.untold = Math.max(0, group.untold - group.head);
      group.head = 0;
    }
    return true;
  }
}

interface Taking {
  readonly nowMs: number;
  readonly limit: number;
  readonly pods: UntoldPod[];
}

function groupOf({ uid, needs, nominatedNode }: PendingPod): string {
  return nominatedNode === undefined ? needs.signature : `${uid} ${nominatedNode}`;
}

function newGroup(key: string, priority: number): Group {
  return {
    key,
    priority,
    items: [],
    head: 0,
    refusal: undefined,
    told: undefined,
    untold: 0,
  };
}

function isBefore(one: Group, other: Group): boolean {
  if (one.priority !== other.priority) return one.priority > other.priority;
  return (one.items[one.head]?.order ?? 0) < (other.items[other.head]?.order ?? 0);
}
