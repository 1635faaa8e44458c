/**
 * Pure: the counts on which all decisions are based: those of the status plus what happened since.
 */
import type { Job } from "../../api/generated/batch.ts";
import { isIndexed } from "./job-facts.ts";
import type { Scoreboard } from "./scoreboard.ts";

export interface Tally {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** In an Indexed Job, the number of indexes. */
  readonly succeeded: number;
  readonly failed: number;
}

export function tallyPods({ spec, status }: Job, board: Scoreboard): Tally {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  // Pods listed in the status are counted from there, whether or not they were released since.
  const counted = { successes: 0, failures: 0 };
  for (const uid of [...succeeded, ...failed]) {
    const known = board.tracked.get(uid);
    if (!known?.hasPlace) continue;
    if (known.stage === "succeeded") counted.successes++;
    if (known.failure?.isCounted) counted.failures++;
  }
  const successes = (status.succeeded ?? 0) + succeeded.length - counted.successes;
  const failures = (status.failed ?? 0) + failed.length - counted.failures;
  return {
    active: board.active.size,
    ready: board.ready,
    terminating: board.terminating,
    succeeded: isIndexed(spec) ? board.completed.size : successes + board.successes,
    failed: failures + board.failures,
  };
}
