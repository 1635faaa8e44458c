/**
 * The Job: runs pods until enough of them have succeeded.
 *
 * defaults.ts and prepare.ts modify a Job before it is stored, validate.ts validates it, and
 * validate-update.ts and validate-status.ts check later changes. Nothing here knows the controller
 * that runs Jobs.
 */
import type { Job } from "../../api/generated/batch.ts";
import { defineKind } from "../kind.ts";
import { jobCells, jobColumns } from "./cells.ts";
import { setJobDefaults } from "./defaults.ts";
import {
  hasOwnLabels,
  prepareJobForCreate,
  prepareJobForUpdate,
  prepareJobStatus,
} from "./prepare.ts";
import { validateJob } from "./validate.ts";
import { validateJobStatusUpdate } from "./validate-status.ts";
import { validateJobUpdate } from "./validate-update.ts";
import { jobWarningsOnCreate, jobWarningsOnUpdate } from "./warnings.ts";

export const jobKind = defineKind<Job>({
  group: "batch",
  version: "v1",
  kind: "Job",
  resource: "jobs",
  singular: "job",
  namespaced: true,
  categories: ["all"],
  message: "batch/v1.Job",
  subresources: [{ name: "status", verbs: ["get", "patch", "update"] }],
  hasGeneration: true,
  sharesParts: true,
  rules: {
    setDefaults: setJobDefaults,
    prepareForCreate: prepareJobForCreate,
    validate: (job) => validateJob(job, { requiresPrefixedLabels: true }),
    warningsOnCreate: jobWarningsOnCreate,
    prepareForUpdate: prepareJobForUpdate,
    validateUpdate: validateJobUpdate,
    warningsOnUpdate: jobWarningsOnUpdate,
    prepareForStatusUpdate: prepareJobStatus,
    validateStatusUpdate: validateJobStatusUpdate,
    isStoredAsShown: hasOwnLabels,
  },
  deletion: {
    orphansByDefault: {
      warning:
        "child pods are preserved by default when jobs are deleted; set " +
        "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to " +
        "suppress this warning",
    },
  },
  selectableFields: { "status.successful": (job) => String(job.status.succeeded ?? 0) },
  columns: jobColumns,
  cells: jobCells,
});
