/** Pure: a Job in detail. */
import type { Job } from "../../api/generated/batch.ts";
import type { Event } from "../../api/generated/core.ts";
import { humanDuration } from "../../api/print/age.ts";
import { eventLines } from "./events.ts";
import {
  annotationLines,
  controllerLines,
  field,
  type Lines,
  labelLines,
  localTime,
  optionalField,
} from "./fields.ts";
import { podTemplateLines } from "./pod-template.ts";
import { selectorText } from "./selector-text.ts";

export function jobLines(job: Job, events: readonly Event[] | undefined, nowMs: number): Lines {
  const { metadata, spec } = job;
  return [
    field("Name", metadata.name ?? ""),
    field("Namespace", metadata.namespace ?? ""),
    field("Selector", selectorText(spec.selector)),
    ...labelLines("Labels", metadata.labels),
    ...annotationLines("Annotations", metadata.annotations),
    ...controllerLines(metadata),
    ...optionalField("Parallelism", spec.parallelism),
    field("Completions", spec.completions ?? "<unset>"),
    ...optionalField("Completion Mode", spec.completionMode),
    ...optionalField("Suspend", spec.suspend),
    ...optionalField("Backoff Limit", spec.backoffLimit),
    ...optionalField("TTL Seconds After Finished", spec.ttlSecondsAfterFinished),
    ...timeLines(job),
    ...statusLines(job),
    ...podTemplateLines(spec.template),
    ...eventLines(events, nowMs),
  ];
}

function timeLines({ spec, status }: Job): Lines {
  const { startTime, completionTime } = status;
  const { activeDeadlineSeconds: deadline } = spec;
  const duration = (end: string, start: string) =>
    humanDuration(Date.parse(end) - Date.parse(start));
  return [
    ...(startTime ? [field("Start Time", localTime(startTime))] : []),
    ...(completionTime ? [field("Completed At", localTime(completionTime))] : []),
    ...(startTime && completionTime
      ? [field("Duration", duration(completionTime, startTime))]
      : []),
    ...(deadline === undefined ? [] : [field("Active Deadline Seconds", `${deadline}s`)]),
  ];
}

function statusLines({ spec, status }: Job): Lines {
  const { active = 0, ready, succeeded = 0, failed = 0, completedIndexes = "" } = status;
  const activeText = ready === undefined ? `${active} Active` : `${active} Active (${ready} Ready)`;
  return [
    field("Pods Statuses", `${activeText} / ${succeeded} Succeeded / ${failed} Failed`),
    ...(spec.completionMode === "Indexed"
      ? [field("Completed Indexes", shortIndexes(completedIndexes))]
      : []),
  ];
}

const LONGEST_INDEXES = 50;

/** Cut after the first comma beyond the limit. */
function shortIndexes(indexes: string): string {
  if (indexes === "") return "<none>";
  const comma = indexes.indexOf(",", LONGEST_INDEXES);
  return comma < 0 ? indexes : `${indexes.slice(0, comma + 1)}...`;
}
