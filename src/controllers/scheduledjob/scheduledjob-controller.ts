/**
 * Creates the Job of each ScheduledJob once, at its time.
 *
 * Reading order: this file, decide (whether the Job is due, and its state), reconcile.
 */
import { scheduledJobs } from "../../api/resources.ts";
import { startJobMaker } from "../jobtemplate/start-job-maker.ts";
import type { Controller } from "../runtime/controller.ts";
import { reconcile } from "./reconcile.ts";

export const scheduledJobController: Controller = {
  name: "scheduledjob",
  start: (context) =>
    startJobMaker(context, {
      name: "scheduledjob",
      kind: "ScheduledJob",
      type: scheduledJobs,
      isNews: () => true,
      reconcile,
    }),
};
