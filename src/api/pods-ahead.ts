/**
 * Pure: pods that a Job creates in addition to its parallelism, so that the next ones start without
 * delay.
 */
import type { Job } from "./generated/batch.ts";

/** On a Job: the number of additional pods. Only Tally's own node keeps them waiting. */
export const PODS_AHEAD = "tallyjob.io/pods-ahead";

const MAX_AHEAD = 1000;

/** 0 if the Job requests none, or if the value is not a number. */
export function podsAheadOf({ metadata, spec }: Job): number {
  const text = metadata.annotations?.[PODS_AHEAD] ?? "";
  if (!/^[0-9]{1,4}$/.test(text) || spec.parallelism === 0) return 0;
  return Math.min(MAX_AHEAD, Number(text));
}

export function runsAhead({ metadata }: Job): boolean {
  return metadata.annotations?.[PODS_AHEAD] !== undefined;
}
