/** Pure: whether a status is the one that the rules require. */
import type { Job } from "../../../src/api/generated/batch.ts";
import type { Pod } from "../../../src/api/generated/core.ts";
import { isFinished, standingVerdict, type Verdict } from "./conditions.ts";
import {
  count,
  type End,
  indexText,
  type Knowledge,
  knowledgeOf,
  type Ledger,
  namedIn,
  nextLedger,
  readingsOf,
  type Scene,
} from "./ledger.ts";
import { isActive, isBeingDeleted, isTerminal, isTracked } from "./pods.ts";
import { earlyVerdict, lateVerdict } from "./verdicts.ts";

export interface Circumstances {
  /** The ledger as of the previous status write. */
  readonly ledger: Ledger;
  /** Whether a request about a pod failed in this sync: then the end of the Job may be delayed. */
  readonly hadTrouble: boolean;
  /** Whether a pod has actually lost its finalizer. */
  readonly isReleased: (uid: string) => boolean;
}

export type Judged =
  | { readonly problem: string }
  | { readonly problem?: undefined; readonly ledger: Ledger };

export function judgeStatus(
  scenes: readonly (Scene | undefined)[],
  next: Job,
  before: Job,
  circumstances: Circumstances,
): Judged {
  const hasty = hastyProblem(next, before, circumstances);
  if (hasty) return { problem: hasty };
  let problem = "a status for a Job that the controller cannot see";
  for (const scene of scenes) {
    if (!scene) continue;
    const wrongEnd = endProblem(scene, next, circumstances);
    if (wrongEnd) {
      problem = wrongEnd;
      continue;
    }
    const current = { ...scene, ledger: circumstances.ledger };
    for (const known of readingsOf(current)) {
      const judged = judgeIn(current, known, next, before, circumstances);
      if (judged.problem === undefined) return judged;
      problem = judged.problem;
    }
  }
  return { problem };
}

/** What must hold between one status and the next, whoever writes it. */
export function lastingProblem(next: Job, before: Job): string | undefined {
  const trueOf = ({ status }: Job) =>
    new Set(status.conditions?.filter((each) => each.status === "True").map(({ type }) => type));
  const [now, then] = [trueOf(next), trueOf(before)];
  for (const type of ["Complete", "Failed", "SuccessCriteriaMet", "FailureTarget"]) {
    if (then.has(type) && !now.has(type)) return `${type} is taken back`;
  }
  if (now.has("Complete") && now.has("Failed")) return "both Complete and Failed";
  if (now.has("Complete") && !then.has("SuccessCriteriaMet")) return "Complete out of nowhere";
  if (now.has("Failed") && !then.has("FailureTarget")) return "Failed out of nowhere";
  if ((next.status.failed ?? 0) < (before.status.failed ?? 0)) return "failed decreases";
  if (isFinished(before) && JSON.stringify(next.status) !== JSON.stringify(before.status)) {
    return "a finished Job changes";
  }
  return undefined;
}

/** A pod listed as uncounted may be removed from the list and counted only after its release. */
function hastyProblem(next: Job, before: Job, { isReleased }: Circumstances): string | undefined {
  const kept = namedIn(next);
  const hasty = [...namedIn(before)].find((uid) => !kept.has(uid) && !isReleased(uid));
  return hasty === undefined ? undefined : `pod ${hasty} is counted before it is released`;
}

/** A sync decides the end of a Job before it writes anything. */
function endProblem(scene: Scene, next: Job, { hadTrouble }: Circumstances): string | undefined {
  const known = knowledgeOf(scene);
  const actual = standingVerdict(next);
  const expected = earlyVerdict(scene, known) ?? lateVerdict(scene, known);
  const isHeldUp = hadTrouble && actual === undefined;
  if (isHeldUp || isSame(expected, actual)) return undefined;
  return `expected ${wordsOf(expected)}, is ${wordsOf(actual)}`;
}

function judgeIn(
  scene: Scene,
  known: Knowledge,
  next: Job,
  before: Job,
  circumstances: Circumstances,
): Judged {
  const actual = standingVerdict(next);
  const named = namedIn(next);
  const ledger = nextLedger(scene, known, actual?.kind, named);
  // If a request about a pod failed, the end is left to the next sync, announced or not.
  const later = circumstances.hadTrouble ? nextLedger(scene, known, undefined, named) : ledger;
  const wrongCount = countProblem(scene, known, ledger, next);
  const isLater = wrongCount !== undefined && !countProblem(scene, known, later, next);
  const problem =
    (isLater ? undefined : wrongCount) ??
    suspensionProblem(scene, next, actual) ??
    finishProblem(scene, next, before, circumstances);
  return problem === undefined ? { ledger: isLater ? later : ledger } : { problem };
}

function isSame(one: Verdict | undefined, other: Verdict | undefined): boolean {
  return one?.kind === other?.kind && one?.reason === other?.reason;
}

function wordsOf(verdict: Verdict | undefined): string {
  return verdict ? `${verdict.kind} for ${verdict.reason}` : "no end";
}

function countProblem(
  { job }: Scene,
  known: Knowledge,
  { ends }: Ledger,
  { status }: Job,
): string | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const isIndexed = job.spec.completionMode === "Indexed";
  const perIndex = job.spec.backoffLimitPerIndex !== undefined;
  const expected = {
    failed: count(ends, "failed"),
    succeeded: isIndexed ? known.completed.size : count(ends, "succeeded"),
    completedIndexes: isIndexed ? indexText(known.completed) : "",
    failedIndexes: perIndex ? indexText(known.failedIndexes) : undefined,
  };
  const actual = {
    failed: (status.failed ?? 0) + failed.length,
    succeeded: (status.succeeded ?? 0) + succeeded.length,
    completedIndexes: status.completedIndexes ?? "",
    failedIndexes: status.failedIndexes,
  };
  const [wanted, found] = [JSON.stringify(expected), JSON.stringify(actual)];
  if (wanted !== found) return `expected ${wanted}, is ${found}`;
  const isOf = (end: End) => (uid: string) =>
    [...ends].some(([key, is]) => is === end && key.startsWith(uid));
  if (!failed.every(isOf("failed")) || !succeeded.every(isOf("succeeded"))) {
    return "a pod is named that has not ended like that";
  }
  const isTwice = new Set([...succeeded, ...failed]).size !== succeeded.length + failed.length;
  return isTwice ? "a pod is named twice" : undefined;
}

/** The deadline does not run while a Job is suspended: it has no start time then. */
function suspensionProblem(
  { job }: Scene,
  { status }: Job,
  verdict: Verdict | undefined,
): string | undefined {
  if (verdict || isBeingDeleted(job)) return undefined;
  const suspended = status.conditions?.find(({ type }) => type === "Suspended")?.status;
  const hasStarted = status.startTime !== undefined;
  if (job.spec.suspend === true) {
    return suspended === "True" && !hasStarted ? undefined : "suspended, and does not say so";
  }
  return suspended !== "True" && hasStarted ? undefined : "not suspended, and says it is";
}

/** The final condition may be written only when no pod runs and none waits to be counted. */
function finishProblem(
  { pods }: Scene,
  next: Job,
  before: Job,
  { isReleased }: Circumstances,
): string | undefined {
  if (!isFinished(next)) return undefined;
  if (isFinished(before)) return "finishes twice";
  const running = pods.filter((pod) => !isTerminal(pod));
  if (running.some((pod) => !isActive(pod))) return "finishes while a pod is terminating";
  if (running.length > 0) return "finishes while a pod is running";
  const isWaiting = (pod: Pod) => isTracked(pod) && !isReleased(pod.metadata.uid ?? "");
  if (pods.some(isWaiting)) return "finishes while a pod keeps its finalizer";
  const { succeeded = [], failed = [] } = next.status.uncountedTerminatedPods ?? {};
  return succeeded.length + failed.length > 0 ? "finishes with pods to count" : undefined;
}
