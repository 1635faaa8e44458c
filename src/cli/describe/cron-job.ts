/** Pure: a CronJob in detail. */
import type { CronJob, JobTemplateSpec } from "../../api/generated/batch.ts";
import type { Event } from "../../api/generated/core.ts";
import { eventLines } from "./events.ts";
import { annotationLines, field, type Lines, labelLines, localTime, yesNo } from "./fields.ts";
import { podTemplateLines } from "./pod-template.ts";
import { selectorText } from "./selector-text.ts";

const UNSET = "<unset>";

export function cronJobLines(
  { metadata, spec, status }: CronJob,
  events: readonly Event[] | undefined,
  nowMs: number,
): Lines {
  const { suspend, startingDeadlineSeconds: deadline } = spec;
  const active = (status.active ?? []).map(({ name }) => name ?? "");
  const lastTime = status.lastScheduleTime;
  return [
    field("Name", metadata.name ?? ""),
    field("Namespace", metadata.namespace ?? ""),
    ...labelLines("Labels", metadata.labels),
    ...annotationLines("Annotations", metadata.annotations),
    field("Schedule", spec.schedule),
    field("Concurrency Policy", spec.concurrencyPolicy ?? ""),
    field("Suspend", suspend === undefined ? UNSET : yesNo(suspend)),
    field("Time Zone", spec.timeZone ?? UNSET),
    field("Successful Job History Limit", spec.successfulJobsHistoryLimit ?? UNSET),
    field("Failed Job History Limit", spec.failedJobsHistoryLimit ?? UNSET),
    field("Starting Deadline Seconds", deadline === undefined ? UNSET : `${deadline}s`),
    ...jobTemplateLines(spec.jobTemplate),
    field("Last Schedule Time", lastTime ? localTime(lastTime) : UNSET),
    field("Active Jobs", active.length === 0 ? "<none>" : active.join(", ")),
    ...eventLines(events, nowMs),
  ];
}

function jobTemplateLines({ spec }: JobTemplateSpec): Lines {
  const { selector, parallelism, completions, activeDeadlineSeconds: deadline } = spec;
  return [
    field("Selector", selector ? selectorText(selector) : UNSET),
    field("Parallelism", parallelism ?? UNSET),
    field("Completions", completions ?? UNSET),
    ...(deadline === undefined ? [] : [field("Active Deadline Seconds", `${deadline}s`)]),
    ...podTemplateLines(spec.template),
  ];
}
