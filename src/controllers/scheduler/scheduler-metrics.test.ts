import { expect, test } from "vitest";
import type { PodSpec } from "../../api/generated/core.ts";
import { Metrics } from "../../base/metrics.ts";
import { SchedulerMemory } from "./memory.ts";
import { needsOf } from "./needs.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";

const spec = (priority: number) => ({ containers: [], priority }) as unknown as PodSpec;

test("pending pods are counted by queue, attempts by result", () => {
  const metrics = new Metrics();
  const memory = new SchedulerMemory();
  const measures = schedulerMetrics(metrics, memory);
  for (const [at, key] of ["a", "b", "c"].entries()) {
    memory.pending.add({ key, uid: key, needs: needsOf(spec(at % 2)), sinceMs: 0 });
  }
  const first = memory.pending.find("a");
  if (first) memory.pending.refuse(first, { message: "full", isHopeless: false });
  memory.gated.add("d");
  measures.placed(0.5);
  measures.refused();
  measures.refused();
  measures.failed();
  const lines = metrics.text().split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'scheduler_pending_pods{queue="active"} 1',
      'scheduler_pending_pods{queue="gated"} 1',
      'scheduler_pending_pods{queue="unschedulable"} 2',
      'scheduler_schedule_attempts_total{profile="default-scheduler",result="error"} 1',
      'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
      'scheduler_schedule_attempts_total{profile="default-scheduler",result="unschedulable"} 2',
      "scheduler_pod_scheduling_sli_duration_seconds_count 1",
    ]),
  );
});
