/**
 * Starts Jobs according to the schedules of CronJobs, and deletes finished Jobs beyond the history
 * limits.
 *
 * Reading order: this file, decide with due (is a Job due, and for which time), review (the state
 * of the existing Jobs), new-job, reconcile. Running the Jobs is the task of the Job controller.
 */
import type { CronJob, Job } from "../../api/generated/batch.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { cronJobs, jobs } from "../../api/resources.ts";
import { exponentialBuckets } from "../../base/metrics.ts";
import { type Cache, type CacheChange, openCache } from "../../client/cache.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { openRecorder } from "../runtime/recorder.ts";
import { timetableOf, untilNextMs } from "./due.ts";
import { reconcile } from "./reconcile.ts";

/** The same number as in Kubernetes. */
const WORKERS = 5;
const BY_OWNER = "owner";

/** `localZone` is used for CronJobs that do not specify a time zone. */
export function cronJobController(localZone: string): Controller {
  return { name: "cronjob", start: (context) => start(context, localZone) };
}

async function start(context: ControllerContext, localZone: string): Promise<RunningController> {
  const { client, clock, random, log, metrics } = context;
  const following = { client, clock, random, log };
  const cache = await openCache({ ...following, type: cronJobs });
  const children = await openCache({
    ...following,
    type: jobs,
    indexes: { [BY_OWNER]: (job) => ownerKeysOf(job) },
  });
  const recorder = openRecorder({ ...following, component: "cronjob-controller" });
  const skew = metrics.histogram(
    "cronjob_controller_job_creation_skew_duration_seconds",
    "Time between when a cronjob is scheduled to be run, and when the job is created.",
    [],
    exponentialBuckets(1, 2, 10),
  );
  const worker = new KeyedWorker({
    reconcile: async (key) => {
      const cronJob = findIn(cache, key);
      if (!cronJob) return;
      const owned = children.find(BY_OWNER, key);
      return reconcile({ client, clock, recorder, skew, localZone }, cronJob, owned);
    },
    workers: WORKERS,
    name: "cronjob",
    clock,
    log,
    metrics,
  });
  const look = (change: CacheChange<CronJob>) => {
    const key = keyOf(change.object);
    if (change.type === "DELETED") return worker.forget(key);
    const delayMs = newTimetableMs(change, localZone, clock.nowMs());
    if (delayMs === undefined) worker.add(key);
    else worker.addAfter(key, delayMs);
  };
  cache.onChange(look, { existing: true });
  children.onChange(({ object, previous }) => {
    for (const key of new Set([object, previous ?? object].flatMap(ownerKeysOf))) worker.add(key);
  });
  return {
    stop: () => {
      cache.close();
      children.close();
      worker.stop();
      recorder.stop();
    },
  };
}

/**
 * A changed schedule takes effect from its next time on: its earlier times are not treated as
 * missed.
 */
function newTimetableMs(
  { object, previous }: CacheChange<CronJob>,
  localZone: string,
  nowMs: number,
): number | undefined {
  if (!previous) return undefined;
  const { schedule, timeZone } = object.spec;
  if (schedule === previous.spec.schedule && timeZone === previous.spec.timeZone) return undefined;
  const timetable = timetableOf(object, localZone);
  return timetable && untilNextMs(timetable, nowMs);
}

function ownerKeysOf(job: Job): readonly string[] {
  const owner = controllerOf(job);
  if (owner?.kind !== "CronJob") return [];
  return [`${job.metadata.namespace ?? ""}/${owner.name}`];
}

function findIn(cache: Cache<CronJob>, key: string): CronJob | undefined {
  const [namespace = "", name = ""] = key.split("/");
  return cache.get(namespace, name);
}

function keyOf({ metadata }: CronJob): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
