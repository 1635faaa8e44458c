/** Pure: whether the controller may create, release or delete a pod. */
import type { Job } from "../../../src/api/generated/batch.ts";
import type { Pod } from "../../../src/api/generated/core.ts";
import type { Call, History } from "../history.ts";
import { ownerOf } from "../history.ts";
import { isFinished, standingVerdict } from "./conditions.ts";
import { actionFor } from "./failures.ts";
import { knowledgeOf, type Ledger, namedIn, retainedPods, type Scene } from "./ledger.ts";
import {
  failureCounts,
  finishMs,
  hasFailed,
  hasPlace,
  indexOf,
  isActive,
  isBeingDeleted,
  isSelected,
  isTerminal,
  isTerminating,
  isTracked,
} from "./pods.ts";
import { backoffMs, creationsIn, heritageOf, removalsIn } from "./pods-wanted.ts";
import { earlyVerdict } from "./verdicts.ts";

/** What the controller has done since each sight, in the same run of requests. */
export interface RunDeeds {
  readonly created: { readonly index: number | undefined; readonly sight: number }[];
  readonly removed: Map<string, number>;
}

export interface Situation {
  readonly scenes: readonly (Scene | undefined)[];
  readonly deeds: RunDeeds;
  /** The Job as stored, and the ledger as of the last status write. */
  readonly truth: Job | undefined;
  readonly ledger: Ledger;
  readonly keyOf: (pod: Pod) => string;
}

export function creationProblem(
  { scenes, deeds }: Situation,
  pod: Pod,
  history: History,
  call: Call,
): string | undefined {
  const problem = firstExplained(scenes, (scene, sight) => {
    const earlier = deeds.created.filter((each) => each.sight >= sight);
    const waitMs = notBeforeMs(scene, history, call) - scene.nowMs;
    const early = waitMs > 0 ? `created ${waitMs} ms before the back-off is over` : undefined;
    return creationProblemIn(scene, pod, earlier) ?? early;
  });
  deeds.created.push({ index: indexOf(pod), sight: scenes.length - 1 });
  return problem;
}

function creationProblemIn(
  scene: Scene,
  pod: Pod,
  earlier: RunDeeds["created"],
): string | undefined {
  const { job } = scene;
  const known = knowledgeOf(scene);
  const end = earlyVerdict(scene, known);
  if (isFinished(job) || end) return `created for a Job that has ended (${end?.reason})`;
  if (isBeingDeleted(job)) return "created for a Job that is being deleted";
  const { count, indexes } = creationsIn(scene, known);
  if (earlier.length >= count) return `created although ${count} more are wanted`;
  if (job.spec.completionMode !== "Indexed") return undefined;
  const index = indexOf(pod) ?? -1;
  if (!indexes.includes(index)) return `created for index ${index}, not one of ${indexes}`;
  if (earlier.some((each) => each.index === index)) return `created twice for index ${index}`;
  if (job.spec.backoffLimitPerIndex === undefined) return undefined;
  const heritage = heritageOf(scene, known, index);
  const { counted, ignored } = failureCounts(pod);
  if (counted !== heritage.counted || ignored !== heritage.ignored) {
    const expected = `${heritage.counted} and ${heritage.ignored}`;
    return `remembers ${counted} and ${ignored} failures of its index, not ${expected}`;
  }
  const waitMs = heritage.notBeforeMs - scene.nowMs;
  return waitMs > 0 ? `created ${waitMs} ms before the back-off of its index is over` : undefined;
}

/**
 * The earliest moment that the back-off of the whole Job allows, computed from the failures since
 * the last success. A controller that restarts forgets the failures that it did not see.
 */
function notBeforeMs(
  { job, pods, ledger, keyOf }: Scene,
  history: History,
  { instance, sights }: Call,
): number {
  if (job.spec.backoffLimitPerIndex !== undefined) return 0;
  const seen = Math.max(...sights.map((sight) => sight.pods));
  const uid = job.metadata.uid ?? "";
  const ended = history.everyPodOf(uid).flatMap((each) => {
    const states = history.statesOf(each).filter(({ revision }) => revision <= seen);
    const end = states.find(({ object }) => object && isEndedPodOf(job, object as Pod));
    return end ? [{ pod: end.object as Pod, revision: end.revision }] : [];
  });
  const lastSuccessMs = Math.max(
    0,
    ...ended.filter(({ pod }) => pod.status.phase === "Succeeded").map(({ pod }) => finishMs(pod)),
  );
  const failures = pods.filter(
    (pod) =>
      pod.status.phase === "Failed" &&
      !isBeingDeleted(pod) &&
      (isTracked(pod) || ledger.ends.has(keyOf(pod))) &&
      hasPlace(job.spec, pod) &&
      finishMs(pod) > lastSuccessMs &&
      ended.some(
        (each) => each.pod.metadata.uid === pod.metadata.uid && each.revision > instance.startedAt,
      ),
  );
  // The controller learns late of a pod that was adopted after its end, and treats it as the last.
  const isToldLate = (pod: Pod) => isTerminal(firstTracked(history, pod) ?? pod);
  if (failures.length === 0 || failures.some(isToldLate)) return 0;
  return Math.max(...failures.map(finishMs)) + backoffMs(failures.length);
}

function firstTracked(history: History, { metadata }: Pod): Pod | undefined {
  const states = history.statesOf(metadata.uid ?? "");
  return states.find(({ object }) => object && isTracked(object as Pod))?.object as Pod | undefined;
}

function isEndedPodOf(job: Job, pod: Pod): boolean {
  const isOwn = ownerOf(pod) === job.metadata.uid && isSelected(job, pod);
  return isOwn && isTerminal(pod) && isTracked(pod);
}

/** A pod's finalizer may be removed only when the ledger has everything about the pod. */
export function releaseProblem(
  { scenes, deeds, truth, ledger, keyOf }: Situation,
  before: Pod,
  after: Pod,
): string | undefined {
  if (!truth || isFinished(truth)) return undefined;
  if (ownerOf(before) === undefined) return undefined;
  if (!isSelected(truth, before)) return undefined;
  if (ownerOf(after) === undefined) return "let go although it is selected";
  const isCounted = ledger.ends.has(keyOf(before));
  const problem = firstExplained(scenes, (scene, sight) => {
    const seen = scene.pods.find(({ metadata }) => metadata.uid === before.metadata.uid);
    if (!seen) return "released unseen";
    const isOver = seen.status.phase === "Succeeded" || hasFailed(scene.job.spec, seen);
    if (standingVerdict(truth) === undefined && !isBeingDeleted(scene.job)) {
      if (isActive(seen)) return removalProblem(scene, deeds, seen, sight);
      if (!isOver) return "released while it is neither over nor to be removed";
      const isKept = retainedPods(scene, knowledgeOf(scene), namedIn(truth)).has(seen);
      if (isKept) return "released although its replacement has to count from it";
    }
    if (isCounted || !hasPlace(scene.job.spec, seen)) return undefined;
    return uncountedProblem(scene, truth, ledger, seen);
  });
  deeds.removed.set(before.metadata.uid ?? "", scenes.length - 1);
  return problem;
}

/** Whether a pod that is not in the ledger should be in it. */
function uncountedProblem(
  { job }: Scene,
  truth: Job,
  { completed }: Ledger,
  seen: Pod,
): string | undefined {
  const announced = standingVerdict(job)?.kind;
  if (seen.status.phase === "Succeeded") {
    const isIndexed = job.spec.completionMode === "Indexed";
    const isDone = announced !== undefined || completed.has(indexOf(seen) ?? -1);
    return isIndexed && isDone ? undefined : "released before its success is counted";
  }
  const isStopped = announced === "success" && isTerminating(seen);
  const fails = hasFailed(job.spec, seen) || standingVerdict(truth)?.kind === "failure";
  if (!fails || isStopped || actionFor(job.spec, seen) === "Ignore") return undefined;
  return "released before its failure is counted";
}

export function deletionProblem({ scenes, deeds }: Situation, before: Pod): string | undefined {
  const problem = firstExplained(scenes, (scene, sight) => {
    const known = knowledgeOf(scene);
    if (earlyVerdict(scene, known)) return undefined;
    const seen = scene.pods.find(({ metadata }) => metadata.uid === before.metadata.uid);
    return seen ? removalProblem(scene, deeds, seen, sight) : "deleted unseen";
  });
  deeds.removed.set(before.metadata.uid ?? "", scenes.length - 1);
  return problem;
}

function removalProblem(
  scene: Scene,
  { removed }: RunDeeds,
  pod: Pod,
  sight: number,
): string | undefined {
  const { uid = "" } = pod.metadata;
  if (isBeingDeleted(scene.job)) return "removed from a Job that is being deleted";
  const { count, mayGo } = removalsIn(scene, knowledgeOf(scene));
  const others = [...removed].filter(([other, at]) => other !== uid && at >= sight).length;
  if (others >= count) return `removed although only ${count} are too many`;
  return mayGo(pod) ? undefined : "removed, and others are out of place";
}

/**
 * Undefined if the action is right for one of the sights; otherwise the problem with the last one.
 */
function firstExplained(
  scenes: readonly (Scene | undefined)[],
  problemIn: (scene: Scene, sight: number) => string | undefined,
): string | undefined {
  let problem: string | undefined = "done for a Job that the controller cannot see";
  for (const [sight, scene] of scenes.entries()) {
    if (!scene) continue;
    problem = problemIn(scene, sight);
    if (problem === undefined) return undefined;
  }
  return problem;
}
