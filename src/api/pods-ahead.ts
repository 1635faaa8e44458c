/** Pure: pods that a Job has made beyond those it runs at once, to have the next in time. */
import type { Job } from "./generated/batch.ts";

/** On a Job: so many more pods than its parallelism. Only our own node lets them wait. */
export const PODS_AHEAD = "tallyjob.io/pods-ahead";

const MAX_AHEAD = 1000;

/** 0 for a Job that asks for none, or for what is no number. */
export function podsAheadOf({ metadata, spec }: Job): number {
  const text = metadata.annotations?.[PODS_AHEAD] ?? "";
  if (!/^[0-9]{1,4}$/.test(text) || spec.parallelism === 0) return 0;
  return Math.min(MAX_AHEAD, Number(text));
}

export function runsAhead({ metadata }: Job): boolean {
  return metadata.annotations?.[PODS_AHEAD] !== undefined;
}
