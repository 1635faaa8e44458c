/**
 * Deletes finished Jobs, and their pods before them, when spec.ttlSecondsAfterFinished has expired.
 *
 * Reading order: this file, decide (whether the TTL has expired), observe, reconcile.
 */
import type { Job } from "../../api/generated/batch.ts";
import { jobs } from "../../api/resources.ts";
import { exponentialBuckets } from "../../base/metrics.ts";
import { openCache } from "../../client/cache.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { hasTimeToLive } from "./decide.ts";
import { reconcile } from "./reconcile.ts";

/** The same number as in Kubernetes. */
const WORKERS = 5;
/** From 100 ms to about 14 minutes. */
const BUCKETS = exponentialBuckets(0.1, 2, 14);

export const ttlController: Controller = { name: "ttl", start };

async function start({
  client,
  clock,
  random,
  log,
  metrics,
}: ControllerContext): Promise<RunningController> {
  const lateness = metrics.histogram(
    "ttl_after_finished_controller_job_deletion_duration_seconds",
    "How late finished Jobs are deleted after their TTL expired.",
    [],
    BUCKETS,
  );
  const cache = await openCache({ client, type: jobs, clock, random, log });
  const worker = new KeyedWorker({
    reconcile: (key) => reconcile({ client, cache, clock, lateness }, key),
    workers: WORKERS,
    name: "ttl_jobs_to_delete",
    clock,
    log,
    metrics,
  });
  cache.onChange(
    ({ type, object }) => {
      if (type === "DELETED") worker.forget(keyOf(object));
      else if (hasTimeToLive(object)) worker.add(keyOf(object));
    },
    { existing: true },
  );
  return {
    stop: () => {
      cache.close();
      worker.stop();
    },
  };
}

function keyOf({ metadata }: Job): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
