/** Pure: which pods a Job must delete, and which it may create. */
import type { Pod } from "../../../src/api/generated/core.ts";
import { actionFor } from "./failures.ts";
import { type Knowledge, retainedPods, type Scene } from "./ledger.ts";
import {
  failureCounts,
  finishMs,
  hasPlace,
  indexOf,
  isActive,
  isTerminating,
  waitsForEnd,
} from "./pods.ts";

export interface Removals {
  readonly count: number;
  readonly mayGo: (pod: Pod) => boolean;
}

export function removalsIn(scene: Scene, known: Knowledge): Removals {
  const { job, pods } = scene;
  const active = pods.filter(isActive);
  if (job.spec.suspend === true) return { count: active.length, mayGo: () => true };
  const misplaced = active.filter((pod) => !hasPlace(job.spec, pod));
  const placed = active.filter((pod) => hasPlace(job.spec, pod));
  const isIndexed = job.spec.completionMode === "Indexed";
  const sameIndex = (pod: Pod) => placed.filter((each) => indexOf(each) === indexOf(pod)).length;
  const repeated = isIndexed ? placed.filter((pod) => sameIndex(pod) > 1) : [];
  const surplus = isIndexed ? placed.length - new Set(placed.map(indexOf)).size : 0;
  const excess = active.length - wantedIn(scene, known);
  const outOfPlace = misplaced.length + surplus;
  return {
    count: Math.max(excess, outOfPlace, 0),
    mayGo: (pod) => {
      if (excess > outOfPlace) return true;
      const isOneOf = (list: readonly Pod[]) =>
        list.some((each) => each.metadata.uid === pod.metadata.uid);
      return isOneOf(misplaced) || isOneOf(repeated);
    },
  };
}

export interface Creations {
  readonly count: number;
  /** For an Indexed Job: the indexes that are next. Some of them may have to wait. */
  readonly indexes: readonly number[];
}

export function creationsIn(scene: Scene, known: Knowledge): Creations {
  const { job, pods } = scene;
  const { spec } = job;
  const none = { count: 0, indexes: [] };
  if (spec.suspend === true || removalsIn(scene, known).count > 0) return none;
  const terminating = waitsForEnd(spec) ? pods.filter(isTerminating) : [];
  const active = pods.filter(isActive);
  const count = Math.max(0, wantedIn(scene, known) - active.length - terminating.length);
  if (spec.completionMode !== "Indexed") return { count, indexes: [] };
  const taken = new Set([...active, ...terminating].map(indexOf));
  const all = Array.from({ length: spec.completions ?? 0 }, (_, index) => index);
  const free = all.filter(
    (index) => !taken.has(index) && !known.completed.has(index) && !known.failedIndexes.has(index),
  );
  return { count, indexes: free.slice(0, count) };
}

/**
 * With a limit per index: the failures that the new pod must record, and when it may be created.
 */
export interface Heritage {
  readonly counted: number;
  readonly ignored: number;
  readonly notBeforeMs: number;
}

export function heritageOf(scene: Scene, known: Knowledge, index: number): Heritage {
  const retained = [...retainedPods(scene, known)].find((pod) => indexOf(pod) === index);
  if (!retained) return { counted: 0, ignored: 0, notBeforeMs: 0 };
  const { counted, ignored } = failureCounts(retained);
  const isIgnored = actionFor(scene.job.spec, retained) === "Ignore";
  return {
    counted: counted + (isIgnored ? 0 : 1),
    ignored: ignored + (isIgnored ? 1 : 0),
    notBeforeMs: finishMs(retained) + backoffMs(counted + ignored + 1),
  };
}

/** 10 s, 20 s, 40 s, … up to ten minutes. */
export function backoffMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(600_000, 10_000 * 2 ** (failures - 1));
}

function wantedIn({ job, pods }: Scene, { succeeded }: Knowledge): number {
  const { parallelism = 1, completions } = job.spec;
  if (completions !== undefined) return Math.max(0, Math.min(parallelism, completions - succeeded));
  return succeeded > 0 ? pods.filter(isActive).length : parallelism;
}
