/**
 * Pure: never twice. A Job replaces a pod as Kubernetes does, which may be before the former
 * process of the index is gone; here the replacement is held until it is.
 */

import { completionIndexOf } from "../api/completion-index.ts";
import type { Pod } from "../api/generated/core.ts";
import { controllerOf } from "../api/owner-reference.ts";

/** The place a pod takes in its Job, by the Job's name: a Job made anew is the same work. */
export function placeOf(pod: Pod): string | undefined {
  const owner = controllerOf(pod);
  const index = owner?.kind === "Job" ? completionIndexOf(pod) : undefined;
  if (owner === undefined || index === undefined) return undefined;
  return formatPlace(pod.metadata.namespace ?? "", owner.name, index);
}

export function formatPlace(namespace: string, jobName: string, index: number): string {
  return `${namespace}/${jobName}/${index}`;
}

/**
 * Which pod is in which place, and which pods wait for it. A place is derived from a pod once, when
 * it is taken: clients may edit the index and the owner of a pod while its process runs.
 */
export class Places {
  readonly #holders = new Map<string, string>();
  readonly #waiting = new Map<string, Set<string>>();
  /** By the UID of a pod, the place it has or waits for. */
  readonly #places = new Map<string, string>();

  /** The place that the pod has or waits for. */
  find(uid: string): string | undefined {
    return this.#places.get(uid);
  }

  /** Undefined when the pod has a place now; else the UID of the pod that has the place. */
  take(place: string, uid: string): string | undefined {
    const known = this.#places.get(uid);
    if (known !== undefined && this.#holders.get(known) === uid) return undefined;
    if (known !== undefined) this.#waiting.get(known)?.delete(uid);
    this.#places.set(uid, place);
    const holder = this.#holders.get(place);
    if (holder === undefined) {
      this.#holders.set(place, uid);
      return undefined;
    }
    this.waitFor(place, uid);
    return holder;
  }

  holderOf(place: string): string | undefined {
    return this.#holders.get(place);
  }

  /** The pod may try again when the place is free, which it does not want for itself. */
  waitFor(place: string, uid: string): void {
    const waiting = this.#waiting.get(place) ?? new Set();
    this.#waiting.set(place, waiting.add(uid));
  }

  /** Returns the pods that may try again. */
  leave(uid: string): readonly string[] {
    const place = this.#places.get(uid);
    if (place === undefined) return [];
    this.#places.delete(uid);
    const waiting = this.#waiting.get(place);
    waiting?.delete(uid);
    if (this.#holders.get(place) !== uid) return [];
    this.#holders.delete(place);
    this.#waiting.delete(place);
    return [...(waiting ?? [])];
  }
}
