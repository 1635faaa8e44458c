/** Pure: decides whether to start a Job now and for which time, and which events to record. */
import { parseSchedule } from "../../api/cron/schedule.ts";
import { isTimeZone } from "../../api/cron/time-zone.ts";
import { quote } from "../../api/finding.ts";
import type { CronJob } from "../../api/generated/batch.ts";
import { millisecondsOf } from "../../api/time.ts";
import { dueAt, isTooLate, type Timetable, untilNextMs } from "./due.ts";
import { jobNameFor } from "./new-job.ts";

export interface Remark {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface Decision {
  readonly remarks: readonly Remark[];
  /** The scheduled time to start a Job for. */
  readonly startMs?: number;
  /** Whether running Jobs are deleted first. */
  readonly replaces?: boolean;
  /** When to reconcile again; if absent, at the next change. */
  readonly againInMs?: number;
}

export interface Moment {
  readonly nowMs: number;
  /** The time zone of this machine, for CronJobs that do not specify one. */
  readonly localZone: string;
}

/** `cronJob.status.active` must already reflect the current state of the Jobs. */
export function decide(cronJob: CronJob, { nowMs, localZone }: Moment): Decision {
  const { metadata, spec } = cronJob;
  if (metadata.deletionTimestamp !== undefined) return SILENT;
  const { timeZone } = spec;
  if (timeZone !== undefined && !isTimeZone(timeZone)) return only(unknownZone(timeZone));
  if (spec.suspend === true) return SILENT;
  const schedule = parseSchedule(spec.schedule);
  if (schedule.kind === "problem") return only(unparseable(spec.schedule, schedule.problem));
  const supported = /TZ=/.test(spec.schedule) ? [unsupported(spec.schedule)] : [];
  const timetable = { schedule, timeZone: timeZone ?? localZone };
  const decision = decideDue(cronJob, timetable, nowMs);
  return { ...decision, remarks: [...supported, ...decision.remarks] };
}

const SILENT: Decision = { remarks: [] };

function only(remark: Remark): Decision {
  return { remarks: [remark] };
}

function decideDue(cronJob: CronJob, timetable: Timetable, nowMs: number): Decision {
  const due = dueAt(cronJob, timetable, nowMs);
  if (due.kind === "impossible") {
    const message = `invalid schedule: ${cronJob.spec.schedule} : ${due.problem}`;
    return only({ type: "Warning", reason: "InvalidSchedule", message });
  }
  const next = untilNextMs(timetable, nowMs);
  const later = next === undefined ? {} : { againInMs: next };
  if (due.kind === "nothing") return { remarks: [], ...later };
  const remarks = due.missesMany ? [TOO_MANY] : [];
  const { timeMs } = due;
  if (isTooLate(cronJob, timeMs, nowMs)) {
    return { remarks: [...remarks, missed(timeMs)], ...later };
  }
  const active = cronJob.status.active ?? [];
  if (isStarted(cronJob, timeMs)) return { remarks, ...later };
  const { concurrencyPolicy } = cronJob.spec;
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    return { remarks: [...remarks, ALREADY_ACTIVE], ...later };
  }
  return { remarks, startMs: timeMs, replaces: concurrencyPolicy === "Replace", ...later };
}

function isStarted(cronJob: CronJob, timeMs: number): boolean {
  const { active = [], lastScheduleTime: last } = cronJob.status;
  const name = jobNameFor(cronJob, timeMs);
  return active.some((each) => each.name === name) || (!!last && millisecondsOf(last) === timeMs);
}

const TOO_MANY: Remark = {
  type: "Warning",
  reason: "TooManyMissedTimes",
  message:
    "too many missed start times. " +
    "Set or decrease .spec.startingDeadlineSeconds or check clock skew",
};

const ALREADY_ACTIVE: Remark = {
  type: "Normal",
  reason: "JobAlreadyActive",
  message: "Not starting job because prior execution is running and concurrency policy is Forbid",
};

function missed(timeMs: number): Remark {
  // "Mon, 02 Jan 2006 15:04:05 +0000"
  const time = new Date(timeMs).toUTCString().replace("GMT", "+0000");
  const message = `Missed scheduled time to start a job: ${time}`;
  return { type: "Warning", reason: "MissSchedule", message };
}

function unknownZone(timeZone: string): Remark {
  const message = `invalid timeZone: ${quote(timeZone)}: unknown time zone ${timeZone}`;
  return { type: "Warning", reason: "UnknownTimeZone", message };
}

function unparseable(schedule: string, problem: string): Remark {
  const message = `unparseable schedule: ${quote(schedule)} : ${problem}`;
  return { type: "Warning", reason: "UnparseableSchedule", message };
}

function unsupported(schedule: string): Remark {
  const where = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";
  const message =
    `CRON_TZ or TZ used in schedule ${quote(schedule)} is not officially supported, ` +
    `see ${where} for more details`;
  return { type: "Warning", reason: "UnsupportedSchedule", message };
}
