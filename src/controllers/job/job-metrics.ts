/**
 * The metrics of the Job controller, under the names Kubernetes uses and those of its first design.
 */
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import { type Counter, exponentialBuckets, type Metrics } from "../../base/metrics.ts";
import { completionModeOf, isIndexed, limitsEachIndex } from "./job-facts.ts";

export type SyncAction = "reconciling" | "tracking" | "pods_created" | "pods_deleted";
export type CreationReason = "new" | "recreate_terminating_or_failed" | "recreate_failed";

export interface JobMetrics {
  synced(job: Job, result: "success" | "error", action: SyncAction, seconds: number): void;
  finished(job: Job, result: "succeeded" | "failed", reason: string): void;
  /** Like Kubernetes, failed attempts are also included in the number of succeeded ones. */
  podsCreated(reason: CreationReason, attempts: number, failures: number): void;
  /** Adds the growth of the status counters. If a Job was made smaller, nothing is subtracted. */
  statusWritten(job: Job, before: JobStatus, after: JobStatus, failedIndexes: number): void;
  readonly failureActions: Counter;
  readonly trackedTerminated: Counter;
  readonly externalJobs: Counter;
  readonly staleSkips: Counter;
}

export function jobMetrics(metrics: Metrics): JobMetrics {
  const counter = (name: string, help: string, ...labels: string[]) =>
    metrics.counter(`job_controller_${name}`, help, labels);
  const creations = counter(
    "job_pods_creation_total",
    "Attempts to create pods.",
    "reason",
    "status",
  );
  return {
    ...syncMetrics(metrics),
    ...statusMetrics(counter),
    podsCreated: (reason, attempts, failures) => {
      creations.add({ reason, status: "succeeded" }, attempts);
      if (failures > 0) creations.add({ reason, status: "failed" }, failures);
    },
    failureActions: counter(
      "pod_failures_handled_by_failure_policy_total",
      "Failed pods that a rule of the failure policy matched.",
      "action",
    ),
    trackedTerminated: counter(
      "terminated_pods_tracking_finalizer_total",
      "Pods that ended with the tracking finalizer, and those of them that lost it.",
      "event",
    ),
    externalJobs: counter(
      "jobs_by_external_controller_total",
      "Jobs that another controller manages.",
      "controller_name",
    ),
    staleSkips: counter(
      "stale_sync_skips_total",
      "Syncs delayed because a cache had not seen this controller's own writes.",
      "group",
      "resource",
    ),
  };
}

/** From 4 ms to about a minute. */
const SYNC_BUCKETS = exponentialBuckets(0.004, 2, 15);

/**
 * Each metric is also exported under the name and labels of the design of Indexed Jobs (KEP-2214).
 */
function syncMetrics(metrics: Metrics): Pick<JobMetrics, "synced" | "finished"> {
  const syncLabels = ["completion_mode", "result", "action"];
  const durations = ["job_controller_job_sync_duration_seconds", "job_sync_duration_seconds"].map(
    (name) => metrics.histogram(name, "How long a sync of a Job took.", syncLabels, SYNC_BUCKETS),
  );
  const syncs = ["job_controller_job_syncs_total", "job_sync_total"].map((name) =>
    metrics.counter(name, "Syncs of Jobs.", syncLabels),
  );
  const finishLabels = ["completion_mode", "result"];
  const finishes = metrics.counter("job_controller_jobs_finished_total", "Finished Jobs.", [
    ...finishLabels,
    "reason",
  ]);
  const plainFinishes = metrics.counter("job_finished_total", "Finished Jobs.", finishLabels);
  return {
    synced: (job, result, action, seconds) => {
      const labels = { completion_mode: completionModeOf(job), result, action };
      for (const histogram of durations) histogram.observe(labels, seconds);
      for (const count of syncs) count.add(labels);
    },
    finished: (job, result, reason) => {
      const labels = { completion_mode: completionModeOf(job), result };
      finishes.add({ ...labels, reason });
      plainFinishes.add(labels);
    },
  };
}

function statusMetrics(
  counter: (name: string, help: string, ...labels: string[]) => Counter,
): Pick<JobMetrics, "statusWritten"> {
  const pods = counter(
    "job_pods_finished_total",
    "Pods that were counted.",
    "completion_mode",
    "result",
  );
  const indexes = counter(
    "job_finished_indexes_total",
    "Indexes that completed or failed.",
    "status",
    "backoffLimit",
  );
  return {
    statusWritten: (job, before, after, failedIndexes) => {
      const completion_mode = completionModeOf(job);
      const grown = (field: "succeeded" | "failed") => (after[field] ?? 0) - (before[field] ?? 0);
      pods.add({ completion_mode, result: "succeeded" }, grown("succeeded"));
      pods.add({ completion_mode, result: "failed" }, grown("failed"));
      if (!isIndexed(job.spec)) return;
      const backoffLimit = limitsEachIndex(job.spec) ? "perIndex" : "global";
      indexes.add({ status: "succeeded", backoffLimit }, grown("succeeded"));
      if (failedIndexes > 0) indexes.add({ status: "failed", backoffLimit }, failedIndexes);
    },
  };
}
