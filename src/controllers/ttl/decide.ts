/** Pure: whether the ttlSecondsAfterFinished of a finished Job has expired. */
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

/** Undefined if the Job is unfinished, has no TTL, or is already being deleted. */
function expiryOf(job: Job): number | undefined {
  const { metadata, spec } = job;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  if (spec.ttlSecondsAfterFinished === undefined) return undefined;
  const finish = finishOf(job);
  // A condition without a time does not tell when the Job finished.
  if (typeof finish?.lastTransitionTime !== "string") return undefined;
  return millisecondsOf(finish.lastTransitionTime) + spec.ttlSecondsAfterFinished * 1000;
}
