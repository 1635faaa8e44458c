import { expect, test } from "vitest";
import { Metrics } from "../../base/metrics.ts";
import { workQueueMetrics } from "./work-queue-metrics.ts";

test("a queue has the metrics of Kubernetes' queues", () => {
  const metrics = new Metrics();
  const queue = workQueueMetrics(metrics, "job");
  queue.follow(() => [1500, 500]);
  queue.added();
  queue.added();
  queue.started(20);
  queue.retried();
  queue.ended(3000);
  const text = metrics.text();
  expect([...text.matchAll(/^# TYPE (.*)/gm)].map(([, type]) => type)).toEqual([
    "workqueue_adds_total counter",
    "workqueue_depth gauge",
    "workqueue_longest_running_processor_seconds gauge",
    "workqueue_queue_duration_seconds histogram",
    "workqueue_retries_total counter",
    "workqueue_unfinished_work_seconds gauge",
    "workqueue_work_duration_seconds histogram",
  ]);
  for (const line of [
    'workqueue_adds_total{name="job"} 2',
    'workqueue_depth{name="job"} 1',
    'workqueue_longest_running_processor_seconds{name="job"} 1.5',
    'workqueue_retries_total{name="job"} 1',
    'workqueue_unfinished_work_seconds{name="job"} 2',
    'workqueue_work_duration_seconds_sum{name="job"} 3',
  ]) {
    expect(text).toContain(`\n${line}\n`);
  }
});

test("the bucket limits are formatted as Kubernetes formats them", () => {
  const metrics = new Metrics();
  workQueueMetrics(metrics, "job").started(20);
  const buckets = metrics.text().match(/^workqueue_queue_duration_seconds_bucket.*$/gm) ?? [];
  expect(buckets.map((line) => line.match(/le="([^"]+)"/)?.[1])).toEqual(
    [
      ["1e-08", "1e-07", "1e-06", "9.999999999999999e-06", "9.999999999999999e-05"],
      ["0.001", "0.01", "0.1", "1", "10", "100", "1000", "+Inf"],
    ].flat(),
  );
});
