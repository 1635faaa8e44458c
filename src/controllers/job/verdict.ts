/** Pure: decides whether a Job has ended, and why. The first rule that returns a verdict wins. */
import type { Job } from "../../api/generated/batch.ts";
import { findCondition } from "../../api/job-conditions.ts";
import { millisecondsOf } from "../../api/time.ts";
import { lastsUntilPodsEnd, pardonedFailures } from "./annotations.ts";
import { isSuspended, limitsEachIndex } from "./job-facts.ts";
import { isRerunning } from "./reruns.ts";
import type { Scoreboard } from "./scoreboard.ts";
import { findMetRule } from "./success-policy.ts";
import type { Tally } from "./tally.ts";

/**
 * The condition that a Job has until its pods are gone. Then Failed or Complete repeats it
 * permanently.
 */
export interface Verdict {
  readonly type: "FailureTarget" | "SuccessCriteriaMet";
  readonly reason: string;
  readonly message: string;
}

export interface Evidence {
  readonly job: Job;
  readonly board: Scoreboard;
  readonly tally: Tally;
  /** Absent while the Job is suspended. */
  readonly startTime?: string;
  readonly nowMs: number;
}

type Rule = (evidence: Evidence) => Verdict | undefined;

/** Failures come before successes: a Job that meets both has failed. */
const RULES: readonly Rule[] = [
  alreadySucceeded,
  alreadyFailed,
  failurePolicy,
  backoffLimit,
  activeDeadline,
  maxFailedIndexes,
  failedIndexes,
  successPolicy,
];

export function decideEnd(evidence: Evidence): Verdict | undefined {
  for (const rule of RULES) {
    const verdict = rule(evidence);
    if (verdict) return verdict;
  }
  return undefined;
}

/** Evaluated last, with the pods as they are after the changes of this sync. */
export function completionsReached(
  { spec }: Job,
  { active, succeeded }: Pick<Tally, "active" | "succeeded">,
): Verdict | undefined {
  const wanted = spec.completions ?? 1;
  if (active > 0 || succeeded < wanted) return undefined;
  return succeededBy("CompletionsReached", "Reached expected number of succeeded pods");
}

/** The time left until the deadline; undefined without a deadline or while the Job is suspended. */
export function untilDeadlineMs({ job, startTime, nowMs }: Evidence): number | undefined {
  const seconds = job.spec.activeDeadlineSeconds;
  if (seconds === undefined || startTime === undefined || isSuspended(job)) return undefined;
  return millisecondsOf(startTime) + seconds * 1000 - nowMs;
}

function alreadySucceeded({ job }: Evidence): Verdict | undefined {
  const condition = findCondition(job, "SuccessCriteriaMet");
  return condition && succeededBy(condition.reason ?? "", condition.message ?? "");
}

function alreadyFailed({ job }: Evidence): Verdict | undefined {
  const condition = findCondition(job, "FailureTarget");
  return condition && failedBy(condition.reason ?? "", condition.message ?? "");
}

function failurePolicy({ board }: Evidence): Verdict | undefined {
  for (const message of board.fatal.values()) return failedBy("PodFailurePolicy", message);
  return undefined;
}

function backoffLimit({ job, board, tally }: Evidence): Verdict | undefined {
  const limit = job.spec.backoffLimit ?? 6;
  const restartsInPlace = job.spec.template.spec.restartPolicy === "OnFailure";
  const isPast = restartsInPlace && board.restarts >= Math.max(1, limit);
  if (tally.failed <= limit && !isPast) return undefined;
  return failedBy("BackoffLimitExceeded", "Job has reached the specified backoff limit");
}

function activeDeadline(evidence: Evidence): Verdict | undefined {
  const untilMs = untilDeadlineMs(evidence);
  if (untilMs === undefined || untilMs > 0) return undefined;
  return failedBy("DeadlineExceeded", "Job was active longer than specified deadline");
}

function maxFailedIndexes({ job, board, tally }: Evidence): Verdict | undefined {
  if (!hasTooManyFailed(job, board)) return undefined;
  if (lastsUntilPodsEnd(job) && tally.active > 0) return undefined;
  const message = "Job has exceeded the specified maximal number of failed indexes";
  return failedBy("MaxFailedIndexesExceeded", message);
}

export function hasTooManyFailed(job: Job, { failed }: Scoreboard): boolean {
  const limit = job.spec.maxFailedIndexes;
  if (limit === undefined || !limitsEachIndex(job.spec)) return false;
  return failed.size - pardonedFailures(job) > limit;
}

function failedIndexes({ job, board }: Evidence): Verdict | undefined {
  const ended = board.failed.size + board.completed.size;
  if (isRerunning(board)) return undefined;
  if (board.failed.size === 0 || ended < (job.spec.completions ?? 0)) return undefined;
  return failedBy("FailedIndexes", "Job has failed indexes");
}

function successPolicy({ board }: Evidence): Verdict | undefined {
  if (isRerunning(board)) return undefined;
  const at = findMetRule(board.successRules, board.completed);
  return at === undefined
    ? undefined
    : succeededBy("SuccessPolicy", `Matched rules at index ${at}`);
}

function failedBy(reason: string, message: string): Verdict {
  return { type: "FailureTarget", reason, message };
}

function succeededBy(reason: string, message: string): Verdict {
  return { type: "SuccessCriteriaMet", reason, message };
}
