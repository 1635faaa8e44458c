/**
 * Pure: the pods that wait for a node, those of high priority first, then in the order they came.
 *
 * Pods with the same needs form a group. What no node has room for is not asked again for every pod
 * of its group: the first one's refusal holds for all, until something changes on the nodes.
 */
import type { Refusal } from "./decide.ts";
import type { PodNeeds } from "./needs.ts";

export interface PendingPod {
  readonly key: string;
  readonly uid: string;
  readonly needs: PodNeeds;
  readonly sinceMs: number;
  /** Where others make room for it: it waits for that node, and no longer with its like. */
  readonly nominatedNode?: string;
}

export interface UntoldPod {
  readonly pod: PendingPod;
  readonly message: string;
}

export interface Telling {
  readonly pods: readonly UntoldPod[];
  /** When there will be more to tell, if nothing happens. */
  readonly delayMs?: number;
}

/** A pod that finds room so soon was never refused. */
export const PATIENCE_MS = 1000;
/** Reasons may change with every pod that comes and goes: a pod need not hear of each. */
export const RETELL_MS = 10_000;

/** Below this many taken pods moving the rest costs more than it frees. */
const MIN_COMPACTION = 1024;

interface Queued {
  readonly pod: PendingPod;
  readonly order: number;
}

interface Group {
  readonly key: string;
  readonly priority: number;
  items: Queued[];
  /** The first that is not taken. */
  head: number;
  refusal: Refusal | undefined;
  told: { readonly message: string; readonly sinceMs: number } | undefined;
  /** The first that was not told what was told last. */
  untold: number;
}

export class PendingPods {
  readonly #pods = new Map<string, PendingPod>();
  readonly #groups = new Map<string, Group>();
  #orders = 0;

  get size(): number {
    return this.#pods.size;
  }

  /** How many wait for something to change on the nodes. */
  refused(): number {
    let count = 0;
    for (const group of this.#groups.values()) {
      if (group.refusal) count += group.items.length - group.head;
    }
    return Math.min(count, this.#pods.size);
  }

  /** Every pod that waits, and the reason if no node would take it. */
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

  /** The pod whose turn it is, left where it is. */
  first(): PendingPod | undefined {
    let best: Group | undefined;
    for (const group of this.#groups.values()) {
      if (group.refusal || !this.#trim(group)) continue;
      if (!best || isBefore(group, best)) best = group;
    }
    return best?.items[best.head]?.pod;
  }

  /** Takes the pod from among its like, who may have to wait longer. */
  nominate(pod: PendingPod, node: string): PendingPod {
    const nominated = { ...pod, nominatedNode: node };
    this.add(nominated);
    return nominated;
  }

  /** All with the needs of this one wait from now on. */
  refuse(pod: PendingPod, { message, isHopeless }: Refusal): void {
    const group = this.#groups.get(groupOf(pod));
    if (group) group.refusal = { message, isHopeless };
  }

  /** Something changed: everyone may ask again. */
  reconsider(): void {
    for (const group of this.#groups.values()) group.refusal = undefined;
  }

  /** Up to so many pods that wait and were not told why. */
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

  /** What was told did not arrive. */
  retell(pod: PendingPod): void {
    const group = this.#groups.get(groupOf(pod));
    if (group) group.told = undefined;
  }

  /** Answers when there is more to tell in the group, if there is. */
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

  /** Drops what was taken or is gone from the front; false where nothing is left. */
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
