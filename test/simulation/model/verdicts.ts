/** Pure: whether a Job has to end, and why: a table of nine rows, the first match wins. */
import type { SuccessPolicyRule } from "../../../src/api/generated/batch.ts";
import { failure, standingVerdict, success, type Verdict } from "./conditions.ts";
import { actionFor } from "./failures.ts";
import type { Knowledge, Scene } from "./ledger.ts";
import { hasFailed, isActive, isBeingDeleted, restartsOf } from "./pods.ts";

/** Rows 1 to 8: decided before pods are created or deleted. */
export function earlyVerdict(scene: Scene, known: Knowledge): Verdict | undefined {
  const { job, pods, nowMs } = scene;
  const { spec, status } = job;
  const standing = standingVerdict(job);
  if (standing) return standing;
  if (pods.some((pod) => hasFailed(spec, pod) && actionFor(spec, pod) === "FailJob")) {
    return failure("PodFailurePolicy");
  }
  const limit = spec.backoffLimit ?? 6;
  if (known.failed > limit || restartsTooOften(scene, limit)) {
    return failure("BackoffLimitExceeded");
  }
  const { activeDeadlineSeconds: deadline } = spec;
  const startMs = status.startTime === undefined ? nowMs : Date.parse(status.startTime);
  if (deadline !== undefined && spec.suspend !== true && nowMs - startMs >= deadline * 1000) {
    return failure("DeadlineExceeded");
  }
  const { size } = known.failedIndexes;
  if (spec.maxFailedIndexes !== undefined && size > spec.maxFailedIndexes) {
    return failure("MaxFailedIndexesExceeded");
  }
  if (size > 0 && size + known.completed.size >= (spec.completions ?? 0)) {
    return failure("FailedIndexes");
  }
  const rules = spec.successPolicy?.rules ?? [];
  return rules.some((rule) => isMet(rule, known)) ? success("SuccessPolicy") : undefined;
}

/** Row 9: decided afterwards, when surplus pods are gone. */
export function lateVerdict({ job, pods }: Scene, { succeeded }: Knowledge): Verdict | undefined {
  const { completions, suspend } = job.spec;
  const reached = success("CompletionsReached");
  const isLeftAlone = isBeingDeleted(job);
  const hasActive = pods.some(isActive);
  if (completions !== undefined) {
    if (succeeded < completions) return undefined;
    return isLeftAlone && hasActive ? undefined : reached;
  }
  if (succeeded === 0) return undefined;
  return hasActive && (suspend !== true || isLeftAlone) ? undefined : reached;
}

function restartsTooOften({ job, pods }: Scene, limit: number): boolean {
  if (job.spec.template.spec.restartPolicy !== "OnFailure") return false;
  const restarts = pods.reduce((sum, pod) => sum + restartsOf(pod), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function isMet(
  { succeededIndexes, succeededCount }: SuccessPolicyRule,
  { completed }: Knowledge,
): boolean {
  if (completed.size === 0) return false;
  if (succeededIndexes === undefined) {
    return succeededCount !== undefined && completed.size >= succeededCount;
  }
  const wanted = parsed(succeededIndexes);
  const done = wanted.filter((index) => completed.has(index)).length;
  return wanted.length > 0 && done >= Math.min(wanted.length, succeededCount ?? wanted.length);
}

function parsed(text: string): number[] {
  return text.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}
