/** The work queue metrics of Kubernetes' own controllers, under the same names. */
import { exponentialBuckets, type Metrics } from "../../base/metrics.ts";

export interface WorkQueueMetrics {
  added(): void;
  started(waitedMs: number): void;
  ended(workedMs: number): void;
  /** A key was delayed, for a retry or for a requested later run. */
  retried(): void;
  /** Registers a function that returns for how long each running key has been running. */
  follow(runningMs: () => readonly number[]): void;
}

export const unmeasured: WorkQueueMetrics = {
  added: () => {},
  started: () => {},
  ended: () => {},
  retried: () => {},
  follow: () => {},
};

/** From 10 ns to 1,000 s. */
const BUCKETS = exponentialBuckets(1e-8, 10, 12);

export function workQueueMetrics(metrics: Metrics, name: string): WorkQueueMetrics {
  const labels = { name };
  const names = ["name"] as const;
  const depth = metrics.gauge("workqueue_depth", "Keys waiting in the queue.", names);
  const adds = metrics.counter("workqueue_adds_total", "Keys added.", names);
  const waiting = metrics.histogram(
    "workqueue_queue_duration_seconds",
    "How long keys wait in the queue.",
    names,
    BUCKETS,
  );
  const working = metrics.histogram(
    "workqueue_work_duration_seconds",
    "How long the reconciles of keys take.",
    names,
    BUCKETS,
  );
  const unfinished = metrics.gauge(
    "workqueue_unfinished_work_seconds",
    "Total age of the running reconciles; it keeps growing if one is stuck.",
    names,
  );
  const longest = metrics.gauge(
    "workqueue_longest_running_processor_seconds",
    "Age of the longest running reconcile.",
    names,
  );
  const retries = metrics.counter(
    "workqueue_retries_total",
    "Keys delayed, for a retry or a later run.",
    names,
  );
  // Create the series now, so that a queue that has had no work yet is exported too.
  for (const each of [depth, adds, retries]) each.add(labels, 0);
  return {
    added: () => {
      adds.add(labels);
      depth.add(labels, 1);
    },
    started: (waitedMs) => {
      depth.add(labels, -1);
      waiting.observe(labels, waitedMs / 1000);
    },
    ended: (workedMs) => working.observe(labels, workedMs / 1000),
    retried: () => retries.add(labels),
    follow: (runningMs) => {
      const seconds = () => runningMs().map((ms) => ms / 1000);
      unfinished.follow(labels, () => seconds().reduce((sum, each) => sum + each, 0));
      longest.follow(labels, () => Math.max(0, ...seconds()));
    },
  };
}
