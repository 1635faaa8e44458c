/** Pure: whether the time a finished Job may stay is over. */
import type { Job } from "../../api/generated/batch.ts";
import { finishOf } from "../../api/job-conditions.ts";
import { millisecondsOf } from "../../api/time.ts";

export type TtlDecision =
  | { readonly kind: "keep" }
  | { readonly kind: "wait"; readonly delayMs: number }
  | { readonly kind: "delete"; readonly expiredAtMs: number };

export interface TtlObservation {
  readonly job: Job;
  readonly nowMs: number;
}

export function decideTtl({ job, nowMs }: TtlObservation): TtlDecision {
  const expiresAtMs = expiryOf(job);
  if (expiresAtMs === undefined) return { kind: "keep" };
  const delayMs = expiresAtMs - nowMs;
  return delayMs > 0 ? { kind: "wait", delayMs } : { kind: "delete", expiredAtMs: expiresAtMs };
}

export function hasTimeToLive(job: Job): boolean {
  return expiryOf(job) !== undefined;
}

/** Undefined for a Job that stays: unfinished, without a limit, or on its way out already. */
function expiryOf(job: Job): number | undefined {
  const { metadata, spec } = job;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  if (spec.ttlSecondsAfterFinished === undefined) return undefined;
  const finish = finishOf(job);
  // A condition without a time tells that the Job has finished, not since when.
  if (typeof finish?.lastTransitionTime !== "string") return undefined;
  return millisecondsOf(finish.lastTransitionTime) + spec.ttlSecondsAfterFinished * 1000;
}
