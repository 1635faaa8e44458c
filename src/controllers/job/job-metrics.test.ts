import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { Metrics } from "../../base/metrics.ts";
import { jobMetrics } from "./job-metrics.ts";

const seriesOf = (metrics: Metrics) =>
  metrics
    .text()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

test("every metric has a name, type and help that Prometheus accepts", () => {
  const metrics = new Metrics();
  jobMetrics(metrics);
  const lines = metrics.text().split("\n");
  const types = lines.flatMap((line) => line.match(/^# TYPE (.*)/)?.slice(1) ?? []);
  expect(types).toEqual([
    "job_controller_job_finished_indexes_total counter",
    "job_controller_job_pods_creation_total counter",
    "job_controller_job_pods_finished_total counter",
    "job_controller_job_sync_duration_seconds histogram",
    "job_controller_job_syncs_total counter",
    "job_controller_jobs_by_external_controller_total counter",
    "job_controller_jobs_finished_total counter",
    "job_controller_pod_failures_handled_by_failure_policy_total counter",
    "job_controller_stale_sync_skips_total counter",
    "job_controller_terminated_pods_tracking_finalizer_total counter",
    "job_finished_total counter",
    "job_sync_duration_seconds histogram",
    "job_sync_total counter",
  ]);
  const helped = lines.flatMap((line) => line.match(/^# HELP (\S+) \S/)?.slice(1) ?? []);
  expect(helped).toEqual(types.map((type) => type.split(" ")[0]));
});

test("syncs are counted and measured by mode, result and action", () => {
  const metrics = new Metrics();
  const { synced } = jobMetrics(metrics);
  synced(aJob(), "success", "tracking", 0.004);
  synced(aJob(INDEXED), "error", "pods_created", 100);
  const text = metrics.text();
  for (const name of ["job_controller_job_syncs_total", "job_sync_total"]) {
    const plain = 'completion_mode="NonIndexed",result="success",action="tracking"';
    const indexed = 'completion_mode="Indexed",result="error",action="pods_created"';
    expect(text).toContain(`\n${name}{${plain}} 1\n`);
    expect(text).toContain(`\n${name}{${indexed}} 1\n`);
  }
});

test("the buckets of the sync duration double from 4 ms to 65.536 s", () => {
  const metrics = new Metrics();
  const { synced } = jobMetrics(metrics);
  synced(aJob(), "success", "tracking", 0.005);
  for (const name of ["job_controller_job_sync_duration_seconds", "job_sync_duration_seconds"]) {
    const buckets = seriesOf(metrics).filter((line) => line.startsWith(`${name}_bucket`));
    const limits = buckets.map((line) => line.match(/le="([^"]+)"/)?.[1]);
    const doubled = [0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048];
    const long = [4.096, 8.192, 16.384, 32.768, 65.536];
    expect(limits).toEqual([...doubled.map(String), ...long.map(String), "+Inf"]);
    expect(buckets.map((line) => line.endsWith(" 1"))).toEqual([false, ...Array(15).fill(true)]);
  }
});

test("a finished Job is counted with its reason, and under the KEP-2214 name without it", () => {
  const metrics = new Metrics();
  const { finished } = jobMetrics(metrics);
  finished(aJob(INDEXED), "failed", "BackoffLimitExceeded");
  finished(aJob(INDEXED), "failed", "DeadlineExceeded");
  const failed = 'completion_mode="Indexed",result="failed"';
  expect(seriesOf(metrics)).toEqual([
    `job_controller_jobs_finished_total{${failed},reason="BackoffLimitExceeded"} 1`,
    `job_controller_jobs_finished_total{${failed},reason="DeadlineExceeded"} 1`,
    `job_finished_total{${failed}} 2`,
  ]);
});

test("failed pod creations are also counted as succeeded, as in Kubernetes", () => {
  const metrics = new Metrics();
  const { podsCreated } = jobMetrics(metrics);
  podsCreated("new", 3, 0);
  podsCreated("recreate_failed", 2, 1);
  podsCreated("recreate_terminating_or_failed", 1, 0);
  const name = "job_controller_job_pods_creation_total";
  expect(seriesOf(metrics)).toEqual([
    `${name}{reason="new",status="succeeded"} 3`,
    `${name}{reason="recreate_failed",status="failed"} 1`,
    `${name}{reason="recreate_failed",status="succeeded"} 2`,
    `${name}{reason="recreate_terminating_or_failed",status="succeeded"} 1`,
  ]);
});

test("growing status counters count pods, and indexes by the kind of their limit", () => {
  const metrics = new Metrics();
  const { statusWritten } = jobMetrics(metrics);
  statusWritten(aJob(), {}, { succeeded: 2, failed: 1 }, 0);
  statusWritten(aJob(INDEXED), { succeeded: 1 }, { succeeded: 3 }, 0);
  const perIndex = aJob({ ...INDEXED, backoffLimitPerIndex: 1 });
  statusWritten(perIndex, { failed: 1 }, { succeeded: 1, failed: 3 }, 2);
  // If completions are reduced, the status drops indexes, but the counters do not decrease.
  statusWritten(aJob(INDEXED), { succeeded: 3 }, { succeeded: 1 }, 0);
  const [indexes, pods] = ["job_finished_indexes_total", "job_pods_finished_total"];
  expect(seriesOf(metrics)).toEqual([
    `job_controller_${indexes}{status="failed",backoffLimit="perIndex"} 2`,
    `job_controller_${indexes}{status="succeeded",backoffLimit="global"} 2`,
    `job_controller_${indexes}{status="succeeded",backoffLimit="perIndex"} 1`,
    `job_controller_${pods}{completion_mode="Indexed",result="failed"} 2`,
    `job_controller_${pods}{completion_mode="Indexed",result="succeeded"} 3`,
    `job_controller_${pods}{completion_mode="NonIndexed",result="failed"} 1`,
    `job_controller_${pods}{completion_mode="NonIndexed",result="succeeded"} 2`,
  ]);
});

test("counters with one label are exported with that label", () => {
  const metrics = new Metrics();
  const { failureActions, trackedTerminated, externalJobs, staleSkips } = jobMetrics(metrics);
  failureActions.add({ action: "FailIndex" });
  trackedTerminated.add({ event: "add" });
  externalJobs.add({ controller_name: "example.com/other" });
  staleSkips.add({ group: "", resource: "pods" });
  expect(seriesOf(metrics)).toEqual([
    'job_controller_jobs_by_external_controller_total{controller_name="example.com/other"} 1',
    'job_controller_pod_failures_handled_by_failure_policy_total{action="FailIndex"} 1',
    'job_controller_stale_sync_skips_total{group="",resource="pods"} 1',
    'job_controller_terminated_pods_tracking_finalizer_total{event="add"} 1',
  ]);
});
