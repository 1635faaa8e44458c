/**
 * Creates the Jobs of Workflows, each when the steps it depends on have succeeded.
 *
 * Reading order: this file, plan (dependencies), decide (the states of the steps, and which to
 * start), step-job, status, reconcile. Running the Jobs is the task of the Job controller, and
 * deleting them with their Workflow that of the garbage collector.
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

/** Ignores changes of the status, which this controller writes itself. */
function isNews({ object, previous }: CacheChange<Workflow>): boolean {
  const { uid, generation } = object.metadata;
  return previous?.metadata.generation !== generation || previous?.metadata.uid !== uid;
}
