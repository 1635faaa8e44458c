/** Pure: classifies the Jobs of a CronJob: finished, unknown, missing and to be deleted. */
import type { CronJob, Job } from "../../api/generated/batch.ts";
import type { ObjectReference } from "../../api/generated/core.ts";
import { finishOf } from "../../api/job-conditions.ts";

export interface Review {
  /** Finished Jobs beyond the history limits, oldest first. */
  readonly surplus: readonly Job[];
  /** Finished Jobs that the status still lists as active. */
  readonly completed: readonly { readonly job: Job; readonly condition: string }[];
  /** Running Jobs that the status does not list as active. */
  readonly unexpected: readonly Job[];
  /** Jobs that the status lists as active but that do not exist. */
  readonly missing: readonly ObjectReference[];
  /** The latest completion time, if it is later than the one in the status. */
  readonly lastSuccessfulTime?: string;
}

export function reviewJobs({ spec, status }: CronJob, jobs: readonly Job[]): Review {
  const { successfulJobsHistoryLimit: successes, failedJobsHistoryLimit: failures } = spec;
  const surplus = [
    ...surplusOf(
      jobs.filter((job) => finishOf(job)?.type === "Complete"),
      successes,
    ),
    ...surplusOf(
      jobs.filter((job) => finishOf(job)?.type === "Failed"),
      failures,
    ),
  ];
  const active = status.active ?? [];
  const activeUids = new Set(active.map(({ uid }) => uid));
  const isActive = ({ metadata }: Job) => activeUids.has(metadata.uid);
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  const lastSuccessfulTime = latestSuccess(jobs, status.lastSuccessfulTime);
  return {
    surplus,
    completed: jobs.flatMap((job) => {
      const end = finishOf(job);
      return end && isActive(job) && !surplus.includes(job) ? [{ job, condition: end.type }] : [];
    }),
    unexpected: jobs.filter((job) => !finishOf(job) && !isActive(job)),
    missing: active.filter(({ uid }) => !known.has(uid)),
    ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
  };
}

function surplusOf(jobs: readonly Job[], limit: number | undefined): readonly Job[] {
  if (limit === undefined) return [];
  return jobs.toSorted(byStart).slice(0, Math.max(0, jobs.length - limit));
}

/** Jobs that never started come last. */
function byStart(one: Job, other: Job): number {
  const [first, second] = [one, other].map(
    ({ status, metadata }) => `${status.startTime ?? "~"} ${metadata.name}`,
  );
  return (first ?? "") < (second ?? "") ? -1 : 1;
}

function latestSuccess(jobs: readonly Job[], last = ""): string | undefined {
  const times = jobs
    .filter((job) => finishOf(job)?.type === "Complete")
    .map(({ status }) => status.completionTime ?? "");
  const latest = times.toSorted().at(-1) ?? "";
  return latest > last ? latest : undefined;
}
