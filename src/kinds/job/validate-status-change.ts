/** Pure: checks the parts of a Job's status that may only change in one direction. */
import { type Finding, invalid, OMITTED } from "../../api/finding.ts";
import type { Job } from "../../api/generated/batch.ts";
import { hasCondition, type JobConditionType } from "../../api/job-conditions.ts";
import { IMMUTABLE } from "../meta/object-meta.ts";

const TERMINAL: readonly JobConditionType[] = ["Failed", "Complete", "FailureTarget"];

export function validateStatusChange(next: Job, old: Job): Finding[] {
  return [
    ...TERMINAL.filter((type) => isDisabled(type, next, old)).map((type) =>
      invalid("status.conditions", OMITTED, `cannot disable the terminal ${type}=True condition`),
    ),
    ...validateCounterChange("failed", next, old),
    ...(isElastic(next) ? [] : validateCounterChange("succeeded", next, old)),
    ...validateTimeChanges(next, old),
    ...validateSuccessCriteriaChange(next, old),
  ];
}

function isDisabled(type: JobConditionType, next: Job, old: Job): boolean {
  return hasCondition(old, type) && !hasCondition(next, type);
}

function validateCounterChange(field: "failed" | "succeeded", next: Job, old: Job): Finding[] {
  const value = next.status[field] ?? 0;
  if (value >= (old.status[field] ?? 0)) return [];
  return [invalid(`status.${field}`, value, `cannot decrease the ${field} counter`)];
}

/** When it is scaled down, indexes beyond its new completions are dropped. */
function isElastic({ spec }: Job): boolean {
  return spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
}

function validateTimeChanges(next: Job, old: Job): Finding[] {
  const { startTime, completionTime } = next.status;
  const findings: Finding[] = [];
  const wasCompleted = completionTime !== undefined && old.status.completionTime !== undefined;
  if (wasCompleted && completionTime !== old.status.completionTime) {
    findings.push(invalid("status.completionTime", completionTime, IMMUTABLE));
  }
  const isMoved = old.status.startTime !== undefined && startTime !== old.status.startTime;
  const mayMove = next.spec.suspend === true || isDisabled("Suspended", next, old);
  if (isMoved && !mayMove) {
    const detail = "field is immutable for unsuspended job once set";
    findings.push(invalid("status.startTime", startTime, detail));
  }
  return findings;
}

export function validateSuccessCriteriaChange(next: Job, old: Job): Finding[] {
  const path = "status.conditions";
  if (isDisabled("SuccessCriteriaMet", next, old)) {
    return [invalid(path, OMITTED, "cannot disable the SuccessCriteriaMet=True condition")];
  }
  const isNew = isDisabled("SuccessCriteriaMet", old, next);
  if (!isNew || !hasCondition(old, "Complete")) return [];
  const detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
  return [invalid(path, OMITTED, detail)];
}
