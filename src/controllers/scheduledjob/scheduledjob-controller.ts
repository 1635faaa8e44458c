/**
 * Makes the Job of each ScheduledJob, once, at its time.
 *
 * Reading order: this file, decide (is it time, and what has become of the Job), reconcile.
 */
import type { Job } from "../../api/generated/batch.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { jobs, scheduledJobs } from "../../api/resources.ts";
import { type CacheChange, openCache } from "../../client/cache.ts";
import { endOf } from "../jobtemplate/new-job.ts";
import { withStatus } from "../jobtemplate/with-status.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { openRecorder } from "../runtime/recorder.ts";
import { reconcile } from "./reconcile.ts";

export const scheduledJobController: Controller = { name: "scheduledjob", start };

async function start(context: ControllerContext): Promise<RunningController> {
  const { client, clock, random, log, metrics } = context;
  const following = { client, clock, random, log };
  const cache = await openCache({ ...following, type: scheduledJobs });
  const children = await openCache({ ...following, type: jobs });
  const recorder = openRecorder({ ...following, component: "scheduledjob-controller" });
  const worker = new KeyedWorker({
    reconcile: async (key) => {
      const [namespace = "", name = ""] = key.split("/");
      const scheduled = cache.get(namespace, name);
      if (!scheduled) return;
      return reconcile({ client, clock, recorder, jobs: children }, withStatus(scheduled));
    },
    name: "scheduledjob",
    clock,
    log,
    metrics,
  });
  cache.onChange(
    ({ type, object }) => {
      const key = `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
      if (type === "DELETED") worker.forget(key);
      else worker.add(key);
    },
    { existing: true },
  );
  children.onChange((change) => {
    const owner = isEnd(change) ? controllerOf(change.object) : undefined;
    if (owner?.kind !== "ScheduledJob") return;
    worker.add(`${change.object.metadata.namespace ?? ""}/${owner.name}`);
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

/** All that a Job is asked. */
function isEnd({ type, object }: CacheChange<Job>): boolean {
  return type === "DELETED" || endOf(object) !== undefined;
}
