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
  return `${pod.metadata.namespace}/${owner.name}/${index}`;
}

/** Who is in which place, and who waits for it. */
export class Places {
  readonly #holders = new Map<string, string>();
  readonly #waiting = new Map<string, Set<string>>();

  /** Undefined when the place is the pod's now; else the UID of the one that has it. */
  take(place: string, uid: string): string | undefined {
    const holder = this.#holders.get(place);
    if (holder === undefined || holder === uid) {
      this.#holders.set(place, uid);
      return undefined;
    }
    const waiting = this.#waiting.get(place) ?? new Set();
    this.#waiting.set(place, waiting.add(uid));
    return holder;
  }

  /** Answers with those that may try again. */
  leave(place: string, uid: string): readonly string[] {
    const waiting = this.#waiting.get(place);
    waiting?.delete(uid);
    if (this.#holders.get(place) !== uid) return [];
    this.#holders.delete(place);
    this.#waiting.delete(place);
    return [...(waiting ?? [])];
  }
}
