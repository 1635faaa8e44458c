/** Pure: builds the Job that a CronJob starts for a scheduled time. */
import { zoneOffsetMs } from "../../api/cron/zone-offset.ts";
import type { CronJob, Job } from "../../api/generated/batch.ts";

const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";
const MINUTE_MS = 60_000;

/**
 * The name depends only on the scheduled time, so a Job is never started twice for the same time.
 */
export function jobNameFor({ metadata }: CronJob, timeMs: number): string {
  return `${metadata.name ?? ""}-${Math.floor(timeMs / MINUTE_MS)}`;
}

export function jobFor(cronJob: CronJob, timeMs: number): Job {
  const { metadata, spec } = cronJob;
  const { metadata: template = {}, spec: jobSpec } = spec.jobTemplate;
  const { labels, annotations } = template;
  const owner = { apiVersion: "batch/v1", kind: "CronJob" };
  const { name = "", uid = "" } = metadata;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobNameFor(cronJob, timeMs),
      namespace: metadata.namespace ?? "",
      ...(labels ? { labels } : {}),
      annotations: { ...annotations, [SCHEDULED]: stampOf(timeMs, spec.timeZone ?? "UTC") },
      ownerReferences: [{ ...owner, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: jobSpec,
    status: {},
  };
}

/** "2026-03-08T03:30:00-04:00" */
function stampOf(timeMs: number, timeZone: string): string {
  const offsetMs = zoneOffsetMs(timeZone, timeMs);
  const wall = new Date(timeMs + offsetMs).toISOString().slice(0, 19);
  if (offsetMs === 0) return `${wall}Z`;
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${wall}${offsetMs < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
