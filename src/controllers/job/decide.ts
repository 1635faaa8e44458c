/** Pure: decides what one sync of a Job does, based on what was observed. It cannot fail. */
import { formatTime } from "../../api/time.ts";
import { isBeingDeleted, isSuspended } from "./job-facts.ts";
import { decidePodChanges, type PodChanges, type Situation } from "./pod-changes.ts";
import { type Tally, tallyPods } from "./tally.ts";
import { decideEnd, untilDeadlineMs, type Verdict } from "./verdict.ts";

export type JobObservation = Omit<Situation, "tally">;

export interface JobDecision {
  readonly tally: Tally;
  readonly startTime?: string;
  readonly verdict?: Verdict;
  readonly podChanges: PodChanges;
  /** When to sync again if no event arrives earlier. */
  readonly againInMs?: number;
}

export function decideJob(observation: JobObservation): JobDecision {
  const { job, board, nowMs, startTime: began = formatTime(nowMs) } = observation;
  const tally = tallyPods(job, board);
  const startTime = job.status.startTime ?? (isSuspended(job) ? undefined : began);
  const started = startTime === undefined ? {} : { startTime };
  const evidence = { job, board, tally, nowMs, ...started };
  const verdict = decideEnd(evidence);
  if (verdict) {
    const podChanges: PodChanges = { kind: "terminate", pods: [...board.active.values()] };
    return { tally, ...started, verdict, podChanges };
  }
  const podChanges: PodChanges = isBeingDeleted(job)
    ? { kind: "leave" }
    : decidePodChanges({ ...observation, tally });
  const againInMs = Math.min(
    untilDeadlineMs(evidence) ?? Number.POSITIVE_INFINITY,
    ("delayMs" in podChanges ? podChanges.delayMs : undefined) ?? Number.POSITIVE_INFINITY,
    "hasMore" in podChanges && podChanges.hasMore ? 0 : Number.POSITIVE_INFINITY,
  );
  const again = againInMs < Number.POSITIVE_INFINITY ? { againInMs } : {};
  return { tally, ...started, podChanges, ...again };
}
