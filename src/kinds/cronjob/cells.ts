/** Pure: a CronJob as a table row. */
import type { CronJob } from "../../api/generated/batch.ts";
import { age } from "../../api/print/age.ts";
import { formatLabelSelector } from "../../api/print/selector.ts";
import { jobSelectorColumn } from "../job/cells.ts";
import type { Cell, Column } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";
import {
  containerImages,
  containerNames,
  containersColumn,
  imagesColumn,
} from "../print/pod-template.ts";

export const cronJobColumns: readonly Column[] = [
  nameColumn,
  {
    name: "Schedule",
    type: "string",
    description: "The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.",
  },
  {
    name: "Timezone",
    type: "string",
    description:
      "The time zone name for the given schedule, see " +
      "https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will " +
      "default to the time zone of the kube-controller-manager process. The set of valid time " +
      "zone names and the time zone offset is loaded from the system-wide time zone database by " +
      "the API server during CronJob validation and the controller manager during execution. If " +
      "no system-wide time zone database can be found a bundled version of the database is used " +
      "instead. If the time zone name becomes invalid during the lifetime of a CronJob or due to " +
      "a change in host configuration, the controller will stop creating new new Jobs and will " +
      "create a system event with the reason UnknownTimeZone. More information can be found in " +
      "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones",
  },
  {
    name: "Suspend",
    type: "boolean",
    description:
      "This flag tells the controller to suspend subsequent executions, it does not apply to " +
      "already started executions.  Defaults to false.",
  },
  { name: "Active", type: "integer", description: "A list of pointers to currently running jobs." },
  {
    name: "Last Schedule",
    type: "string",
    description: "Information when was the last time the job was successfully scheduled.",
  },
  ageColumn,
  containersColumn,
  imagesColumn,
  jobSelectorColumn,
];

export function cronJobCells(cronJob: CronJob, now: Date): Cell[] {
  const { metadata, spec, status } = cronJob;
  const { template, selector } = spec.jobTemplate.spec;
  return [
    metadata.name ?? "",
    spec.schedule,
    spec.timeZone ?? "<none>",
    formatSuspend(spec.suspend),
    status.active?.length ?? 0,
    status.lastScheduleTime === undefined ? "<none>" : age(status.lastScheduleTime, now),
    age(metadata.creationTimestamp, now),
    containerNames(template.spec),
    containerImages(template.spec),
    formatLabelSelector(selector),
  ];
}

function formatSuspend(suspend: boolean | undefined): string {
  if (suspend === undefined) return "<unset>";
  return suspend ? "True" : "False";
}
