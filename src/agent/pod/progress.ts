/** Pure: how far a pod has come: through its init containers, and with its app containers. */

import type { Container, Pod } from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import {
  exitCodeOf,
  factsOf,
  findEnd,
  hasRun,
  initsOf,
  isShown,
  isStarted,
  mainsOf,
  type PodFacts,
} from "./facts.ts";
import { restartsAfter } from "./restarts.ts";

export type Initialization =
  /** The init container at `at` is the one to start, to wait for, or to start again. */
  | { readonly kind: "at"; readonly at: number }
  | { readonly kind: "failed" }
  | { readonly kind: "done" };

const DONE: Initialization = { kind: "done" };
const FAILED: Initialization = { kind: "failed" };

/** Serially: each has to succeed, or being a sidecar to be started, before the next one begins. */
export function initializationOf(pod: Pod, facts: PodFacts): Initialization {
  const inits = initsOf(pod);
  if (inits.length === 0 || hasAnyMainRun(pod, facts)) return DONE;
  for (let at = findReached(inits, facts); at < inits.length; at++) {
    const container = inits[at] as Container;
    const known = factsOf(facts, container.name);
    if (isSidecar(container)) {
      if (isStarted(known)) continue;
      return { kind: "at", at };
    }
    const end = known.running ? undefined : findEnd(known);
    if (end === undefined) return { kind: "at", at };
    const exitCode = exitCodeOf(end);
    if (exitCode === 0) continue;
    return known.isStarting || restartsAfter(pod, container, exitCode, known)
      ? { kind: "at", at }
      : FAILED;
  }
  return DONE;
}

export function hasAnyMainRun(pod: Pod, facts: PodFacts): boolean {
  for (const { name } of mainsOf(pod)) if (hasRun(factsOf(facts, name))) return true;
  return false;
}

/** A sidecar that is down again does not send later ones back. */
function findReached(inits: readonly Container[], facts: PodFacts): number {
  for (let at = inits.length - 1; at > 0; at--) {
    const { name } = inits[at] as Container;
    if (hasRun(factsOf(facts, name)) || factsOf(facts, name).isStarting) return at;
  }
  return 0;
}

/**
 * What its app containers have come to:
 * pending while one never ran, running while one runs or will, else how all of them ended.
 */
export type MainState = "pending" | "running" | "succeeded" | "failed";

export function mainStateOf(pod: Pod, facts: PodFacts): MainState {
  let state: MainState = "succeeded";
  for (const container of mainsOf(pod)) {
    const known = factsOf(facts, container.name);
    const end = findEnd(known);
    if (!isShown(known) && end === undefined) return "pending";
    if (known.running !== undefined || end === undefined || known.isStarting) {
      state = "running";
      continue;
    }
    const exitCode = exitCodeOf(end);
    if (restartsAfter(pod, container, exitCode, known)) state = "running";
    else if (exitCode !== 0 && state === "succeeded") state = "failed";
  }
  return state;
}
