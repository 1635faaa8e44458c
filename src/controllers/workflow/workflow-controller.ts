/**
 * Makes the Jobs of Workflows, each when those it depends on have succeeded.
 *
 * Reading order: this file, plan (what depends on what), decide (what has become of the steps, and
 * which are to begin), step-job, status, reconcile. What becomes of a Job is the Job controller's
 * business, and what goes with a deleted Workflow the garbage collector's.
 */
import type { Workflow } from "../../api/generated/tallyjob.ts";
import { workflows } from "../../api/resources.ts";
import type { CacheChange } from "../../client/cache.ts";
import { startJobMaker } from "../jobtemplate/start-job-maker.ts";
import type { Controller } from "../runtime/controller.ts";
import { planOf } from "./plan.ts";
import { reconcile } from "./reconcile.ts";

export const workflowController: Controller = {
  name: "workflow",
  start: (context) =>
    startJobMaker(context, {
      name: "workflow",
      kind: "Workflow",
      type: workflows,
      isNews,
      reconcile: (hands, workflow) => reconcile(hands, workflow, planOf(workflow)),
    }),
};

/** What we write into the status is no news to us. */
function isNews({ object, previous }: CacheChange<Workflow>): boolean {
  const { uid, generation } = object.metadata;
  return previous?.metadata.generation !== generation || previous?.metadata.uid !== uid;
}
