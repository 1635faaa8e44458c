/** The metrics of the scheduler, under the names that Kubernetes uses. */
import { exponentialBuckets, type Metrics } from "../../base/metrics.ts";
import type { SchedulerMemory } from "./memory.ts";

export interface SchedulerMetrics {
  placed(waitedSeconds: number): void;
  refused(): void;
  failed(): void;
  preempted(victims: number): void;
}

const PROFILE = "default-scheduler";
/** From 10 ms to about 87 minutes. */
const BUCKETS = exponentialBuckets(0.01, 2, 20);
const VICTIM_BUCKETS = exponentialBuckets(1, 2, 7);

export function schedulerMetrics(metrics: Metrics, memory: SchedulerMemory): SchedulerMetrics {
  const attempts = metrics.counter(
    "scheduler_schedule_attempts_total",
    "Attempts to schedule pods, by result.",
    ["profile", "result"],
  );
  const durations = metrics.histogram(
    "scheduler_pod_scheduling_sli_duration_seconds",
    "How long pods waited for a node, from the removal of their last gate on.",
    [],
    BUCKETS,
  );
  const preemptions = metrics.counter(
    "scheduler_preemption_attempts_total",
    "Preemptions of pods in favour of one with higher priority.",
    [],
  );
  const victims = metrics.histogram(
    "scheduler_preemption_victims",
    "Number of pods preempted at a time.",
    [],
    VICTIM_BUCKETS,
  );
  const pods = metrics.gauge(
    "scheduler_pending_pods",
    "Pods without a node: active, unschedulable or gated.",
    ["queue"],
  );
  const { pending, gated } = memory;
  pods.follow({ queue: "active" }, () => pending.size - pending.refused());
  pods.follow({ queue: "unschedulable" }, () => pending.refused());
  pods.follow({ queue: "gated" }, () => gated.size);
  const count = (result: string) => () => attempts.add({ profile: PROFILE, result });
  const scheduled = count("scheduled");
  return {
    placed: (waitedSeconds) => {
      scheduled();
      durations.observe({}, waitedSeconds);
    },
    refused: count("unschedulable"),
    failed: count("error"),
    preempted: (count) => {
      preemptions.add({});
      victims.observe({}, count);
    },
  };
}
