/**
 * Makes the Jobs of Workflows, each when those it depends on have succeeded.
 *
 * Reading order: this file, plan (what depends on what), decide (what has become of the steps, and
 * which are to begin), step-job, status, reconcile. What becomes of a Job is the Job controller's
 * business, and what goes with a deleted Workflow the garbage collector's.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { Workflow } from "../../api/generated/tallyjob.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { jobs, workflows } from "../../api/resources.ts";
import { type CacheChange, openCache } from "../../client/cache.ts";
import { endOf } from "../jobtemplate/new-job.ts";
import { withStatus } from "../jobtemplate/with-status.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { openRecorder } from "../runtime/recorder.ts";
import { planOf } from "./plan.ts";
import { reconcile } from "./reconcile.ts";

export const workflowController: Controller = { name: "workflow", start };

async function start(context: ControllerContext): Promise<RunningController> {
  const { client, clock, random, log, metrics } = context;
  const following = { client, clock, random, log };
  const cache = await openCache({ ...following, type: workflows });
  const children = await openCache({ ...following, type: jobs });
  const recorder = openRecorder({ ...following, component: "workflow-controller" });
  const worker = new KeyedWorker({
    reconcile: async (key) => {
      const [namespace = "", name = ""] = key.split("/");
      const found = cache.get(namespace, name);
      if (!found) return;
      const workflow = withStatus(found);
      return reconcile({ client, clock, recorder, jobs: children }, workflow, planOf(workflow));
    },
    name: "workflow",
    clock,
    log,
    metrics,
  });
  cache.onChange(
    (change) => {
      if (change.type === "DELETED") worker.forget(keyOf(change.object));
      else if (isNews(change)) worker.add(keyOf(change.object));
    },
    { existing: true },
  );
  children.onChange((change) => {
    const owner = isEnd(change) ? controllerOf(change.object) : undefined;
    if (owner?.kind !== "Workflow") return;
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

/** What we write into the status is no news to us. */
function isNews({ object, previous }: CacheChange<Workflow>): boolean {
  const { uid, generation } = object.metadata;
  return previous?.metadata.generation !== generation || previous?.metadata.uid !== uid;
}

/** All that a Job is asked: a change on the way there is worth no look at the whole. */
function isEnd({ type, object, previous }: CacheChange<Job>): boolean {
  if (type === "DELETED") return true;
  return endOf(object) !== undefined && (!previous || endOf(previous) === undefined);
}

function keyOf({ metadata }: Workflow): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
