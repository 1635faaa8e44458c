/** The numbers Kubernetes' own controllers publish about their queues, under the same names. */
import { exponentialBuckets, type Metrics } from "../../base/metrics.ts";

export interface WorkQueueMetrics {
  added(): void;
  started(waitedMs: number): void;
  ended(workedMs: number): void;
  /** A key was put off: to be retried, or to be looked at later. */
  retried(): void;
}

export const unmeasured: WorkQueueMetrics = {
  added: () => {},
  started: () => {},
  ended: () => {},
  retried: () => {},
};

/** From 10 ns to 1,000 s. */
const BUCKETS = exponentialBuckets(1e-8, 10, 12);

export function workQueueMetrics(metrics: Metrics, name: string): WorkQueueMetrics {
  const labels = { name };
  const names = ["name"] as const;
  const depth = metrics.gauge("workqueue_depth", "Keys that wait to be worked on.", names);
  const adds = metrics.counter("workqueue_adds_total", "Keys added.", names);
  const waiting = metrics.histogram(
    "workqueue_queue_duration_seconds",
    "How long a key waits before it is worked on.",
    names,
    BUCKETS,
  );
  const working = metrics.histogram(
    "workqueue_work_duration_seconds",
    "How long a key is worked on.",
    names,
    BUCKETS,
  );
  const retries = metrics.counter("workqueue_retries_total", "Keys put off.", names);
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
  };
}
