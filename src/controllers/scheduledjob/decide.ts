/** Pure: decides whether the Job of a ScheduledJob is due, and derives its status from the Job. */
import type { Job } from "../../api/generated/batch.ts";
import type { ScheduledJob, ScheduledJobStatus } from "../../api/generated/tallyjob.ts";
import { millisecondsOf } from "../../api/time.ts";
import { endOf } from "../jobtemplate/new-job.ts";
import { type Stated, withConditions } from "../jobtemplate/owner-conditions.ts";

export interface ScheduledJobObservation {
  readonly scheduled: ScheduledJob;
  /** The Job that was created, if it still exists. */
  readonly job?: Job;
  readonly nowMs: number;
  /** `nowMs` in RFC 3339. */
  readonly now: string;
}

export type ScheduledJobDecision =
  | { readonly kind: "start" }
  | {
      readonly kind: "settle";
      readonly status: ScheduledJobStatus;
      readonly againInMs?: number;
    };

/**
 * The longest time between two checks. A clock change or a sleep of the machine is noticed after
 * it.
 */
const LONGEST_WAIT_MS = 60_000;

export function decideScheduledJob(seen: ScheduledJobObservation): ScheduledJobDecision {
  const { scheduled, nowMs } = seen;
  if (scheduled.status.job !== undefined) return { kind: "settle", status: startedStatus(seen) };
  if (scheduled.spec.suspend === true) {
    return { kind: "settle", status: waitingStatus(seen, "Suspended") };
  }
  const dueMs = millisecondsOf(scheduled.spec.runAt ?? "");
  if (nowMs < dueMs) {
    const againInMs = Math.min(dueMs - nowMs, LONGEST_WAIT_MS);
    return { kind: "settle", status: waitingStatus(seen, "Scheduled"), againInMs };
  }
  const { startingDeadlineSeconds: deadline } = scheduled.spec;
  const isTooLate = deadline !== undefined && nowMs > dueMs + deadline * 1000;
  return isTooLate ? { kind: "settle", status: waitingStatus(seen, "Missed") } : { kind: "start" };
}

export type StartedObservation = Omit<ScheduledJobObservation, "nowMs">;

/** The status after the Job was created, whatever its state is. */
export function startedStatus({
  scheduled,
  job: made,
  now,
}: StartedObservation): ScheduledJobStatus {
  const { status } = scheduled;
  const end = made && endOf(made);
  const isKnown = status.phase === "Complete" || status.phase === "Failed";
  // If the Job was deleted after its end was recorded, the recorded status is kept.
  if (isKnown && !end) return { ...status, ...generationOf(scheduled) };
  const { name = "", uid = "", creationTimestamp } = made?.metadata ?? {};
  const job = status.job ?? { name, uid };
  const startTime = status.startTime ?? creationTimestamp ?? now;
  const gone = made ? undefined : { type: "Failed", time: now, message: GONE };
  const over = end ?? gone;
  const stated = over ? [verdict(over.type, over.message)] : [];
  return composeStatus(scheduled, {
    phase: over?.type ?? "Started",
    startTime,
    ...(over ? { completionTime: over.time ?? now } : {}),
    job,
    stated: [...stated, resumed()],
    now,
  });
}

const GONE = "the Job was deleted before it had ended";

function verdict(type: string, message: string): Stated {
  return type === "Complete"
    ? { type: "Complete", isMet: true, reason: "JobComplete", message }
    : { type: "Failed", isMet: true, reason: "JobFailed", message };
}

function resumed(): Stated {
  return { type: "Suspended", isMet: false, reason: "Resumed", message: "" };
}

function waitingStatus(
  { scheduled, now }: ScheduledJobObservation,
  phase: "Suspended" | "Scheduled" | "Missed",
): ScheduledJobStatus {
  const { runAt } = scheduled.spec;
  const isMissed = phase === "Missed";
  return composeStatus(scheduled, {
    phase,
    stated: [
      {
        type: "Failed",
        isMet: isMissed,
        reason: isMissed ? "StartingDeadlineExceeded" : "Rescheduled",
        message: isMissed ? `the Job was not created in time for ${runAt}` : "",
      },
      phase === "Suspended"
        ? {
            type: "Suspended",
            isMet: true,
            reason: "Suspended",
            message: "the Job is not created while suspended",
          }
        : resumed(),
    ],
    now,
  });
}

interface Composed extends Pick<ScheduledJobStatus, "startTime" | "completionTime" | "job"> {
  readonly phase: string;
  readonly stated: readonly Stated[];
  readonly now: string;
}

function composeStatus(
  scheduled: ScheduledJob,
  { stated, now, ...fields }: Composed,
): ScheduledJobStatus {
  const conditions = withConditions(scheduled.status.conditions, stated, now);
  return {
    ...generationOf(scheduled),
    ...fields,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

function generationOf({ metadata }: ScheduledJob): { readonly observedGeneration?: number } {
  const { generation } = metadata;
  return generation === undefined ? {} : { observedGeneration: generation };
}
