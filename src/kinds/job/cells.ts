/** Pure: a Job as a table row. */
import type { Job } from "../../api/generated/batch.ts";
import { finishOf, hasCondition } from "../../api/job-conditions.ts";
import { age, humanDuration } from "../../api/print/age.ts";
import { formatLabelSelector } from "../../api/print/selector.ts";
import type { Cell, Column } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";
import {
  containerImages,
  containerNames,
  containersColumn,
  imagesColumn,
} from "../print/pod-template.ts";

export const jobSelectorColumn: Column = {
  name: "Selector",
  type: "string",
  priority: 1,
  description:
    "A label query over pods that should match the pod count. Normally, the system sets this " +
    "field for you. More info: " +
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
};

export const jobColumns: readonly Column[] = [
  nameColumn,
  { name: "Status", type: "string", description: "Status of the job." },
  {
    name: "Completions",
    type: "string",
    description:
      "The number of pods which reached phase Succeeded. The value increases monotonically for " +
      "a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs.",
  },
  { name: "Duration", type: "string", description: "Time required to complete the job." },
  ageColumn,
  containersColumn,
  imagesColumn,
  jobSelectorColumn,
];

export function jobCells(job: Job, now: Date): Cell[] {
  const { metadata, spec } = job;
  return [
    metadata.name ?? "",
    formatStatus(job),
    formatCompletions(job),
    formatDuration(job, now),
    age(metadata.creationTimestamp, now),
    containerNames(spec.template.spec),
    containerImages(spec.template.spec),
    formatLabelSelector(spec.selector),
  ];
}

function formatStatus(job: Job): string {
  const finish = finishOf(job);
  if (finish) return finish.type;
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  return UNFINISHED.find((type) => hasCondition(job, type)) ?? "Running";
}

const UNFINISHED = ["Suspended", "FailureTarget", "SuccessCriteriaMet"] as const;

/** A work queue is done when any of its pods has succeeded. */
function formatCompletions({ spec, status }: Job): string {
  const { completions, parallelism = 0 } = spec;
  const { succeeded = 0 } = status;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function formatDuration({ status }: Job, now: Date): string {
  const { startTime, completionTime } = status;
  if (startTime === undefined) return "";
  const end = completionTime === undefined ? now.getTime() : Date.parse(completionTime);
  return humanDuration(end - Date.parse(startTime));
}
