/**
 * The CronJob: creates Jobs according to a schedule.
 *
 * api/cron parses the schedule, for validation here and for the controller. validate.ts has the
 * rules, which validate the jobTemplate with those of the Job.
 */
import { isEqual } from "../../api/equal.ts";
import type { CronJob } from "../../api/generated/batch.ts";
import { type Draft, draftOf } from "../../api/object.ts";
import { setJobTemplateDefaults } from "../job/defaults.ts";
import { jobSpecWarnings, nameWarnings } from "../job/warnings.ts";
import { defineKind } from "../kind.ts";
import { dropDisabledPodFields } from "../pod/drop-disabled.ts";
import { cronJobCells, cronJobColumns } from "./cells.ts";
import { validateCronJob, validateCronJobStatusUpdate, validateCronJobUpdate } from "./validate.ts";

const DEFAULT_SUCCESSFUL_JOBS = 3;
const DEFAULT_FAILED_JOBS = 1;
const JOB_SPEC = "spec.jobTemplate.spec";

export const cronJobKind = defineKind<CronJob>({
  group: "batch",
  version: "v1",
  kind: "CronJob",
  resource: "cronjobs",
  singular: "cronjob",
  namespaced: true,
  shortNames: ["cj"],
  categories: ["all"],
  message: "batch/v1.CronJob",
  subresources: [{ name: "status", verbs: ["get", "patch", "update"] }],
  hasGeneration: true,
  rules: {
    setDefaults: setCronJobDefaults,
    prepareForCreate: (cronJob) => {
      cronJob.status = {};
      dropDisabledPodFields(podOf(cronJob));
    },
    validate: validateCronJob,
    warningsOnCreate: ({ metadata, spec }) => [
      ...nameWarnings(metadata.name ?? ""),
      ...jobSpecWarnings(spec.jobTemplate.spec, JOB_SPEC),
    ],
    prepareForUpdate: (next, old) => {
      next.status = draftOf(old.status);
      dropDisabledPodFields(podOf(next), podOf(old));
    },
    validateUpdate: validateCronJobUpdate,
    warningsOnUpdate: warningsOnCronJobUpdate,
    validateStatusUpdate: validateCronJobStatusUpdate,
  },
  columns: cronJobColumns,
  cells: cronJobCells,
});

function podOf<T extends CronJob | Draft<CronJob>>(
  cronJob: T,
): T["spec"]["jobTemplate"]["spec"]["template"]["spec"] {
  return cronJob.spec.jobTemplate.spec.template.spec;
}

function setCronJobDefaults({ spec }: Draft<CronJob>): void {
  if ((spec.concurrencyPolicy ?? "") === "") spec.concurrencyPolicy = "Allow";
  spec.suspend ??= false;
  setJobTemplateDefaults(spec.jobTemplate.spec);
  spec.successfulJobsHistoryLimit ??= DEFAULT_SUCCESSFUL_JOBS;
  spec.failedJobsHistoryLimit ??= DEFAULT_FAILED_JOBS;
}

function warningsOnCronJobUpdate(next: CronJob, old: CronJob): string[] {
  if (isEqual(next.spec, old.spec)) return [];
  const { spec } = next.spec.jobTemplate;
  return jobSpecWarnings(spec, JOB_SPEC, old.spec.jobTemplate.spec);
}
