/**
 * Pure: validates the status of a Job.
 *
 * Most rules apply only if something they depend on has changed, so that a status written before a
 * rule existed can still be updated. They are in the order of the causes in the answer. The rules
 * of single fields are in validate-status-counts.ts and validate-status-indexes.ts, those that
 * compare with the old status in validate-status-change.ts.
 */
import { isEqual } from "../../api/equal.ts";
import { DEFAULT_FEATURE_GATES, type FeatureGates } from "../../api/feature-gates.ts";
import { type Finding, invalid, OMITTED, required } from "../../api/finding.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import { hasCondition, isFinished, type JobConditionType } from "../../api/job-conditions.ts";
import { validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { uncountedPodsDump } from "./go-dump.ts";
import { validateStatusChange, validateSuccessCriteriaChange } from "./validate-status-change.ts";
import { validateCounters, validateUncountedPods } from "./validate-status-counts.ts";
import { validateStatusIndexes } from "./validate-status-indexes.ts";

export function validateJobStatusUpdate(
  next: Job,
  old: Job,
  gates = DEFAULT_FEATURE_GATES,
): Finding[] {
  const always = [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateCounters(next.status),
    ...validateUncountedPods(next.status.uncountedTerminatedPods),
  ];
  // The other rules were introduced with managedBy, which lets any controller write the status.
  if (!gates.JobManagedBy) {
    return [
      ...always,
      ...validateSuccessCriteria(next, gates),
      ...validateSuccessCriteriaChange(next, old),
    ];
  }
  const changed = changesOf(next.status, old.status);
  return [
    ...always,
    ...validateExclusive(next.status, changed),
    ...validateCompletionTime(next.status, changed),
    ...validateInterim(next.status, changed),
    ...validateFinished(next, changed),
    ...validateStatusIndexes(next, old, changed),
    ...validatePodCounts(next.status, changed),
    ...validateSuccessCriteria(next, gates),
    ...validateStatusChange(next, old),
  ];
}

type Changes = ReturnType<typeof changesOf>;

function changesOf(next: JobStatus, old: JobStatus) {
  const field = (name: keyof JobStatus, zero?: number | string) =>
    !isEqual(next[name] ?? zero, old[name] ?? zero);
  const condition = (type: JobConditionType) =>
    hasCondition({ status: next }, type) !== hasCondition({ status: old }, type);
  return {
    complete: condition("Complete"),
    failed: condition("Failed"),
    failureTarget: condition("FailureTarget"),
    successCriteriaMet: condition("SuccessCriteriaMet"),
    finished: isFinished({ status: next }) !== isFinished({ status: old }),
    startTime: field("startTime"),
    completionTime: field("completionTime"),
    active: field("active", 0),
    ready: field("ready"),
    terminating: field("terminating"),
    uncountedPods: field("uncountedTerminatedPods"),
    completedIndexes: field("completedIndexes", ""),
    failedIndexes: field("failedIndexes"),
  };
}

function validateExclusive(status: JobStatus, changed: Changes): Finding[] {
  if (!hasCondition({ status }, "Complete")) return [];
  return [
    ...(changed.complete || changed.failed
      ? without(status, "Failed", "cannot set Complete=True and Failed=true conditions")
      : []),
    ...(changed.complete || changed.failureTarget
      ? without(
          status,
          "FailureTarget",
          "cannot set Complete=True and FailureTarget=true conditions",
        )
      : []),
  ];
}

function validateCompletionTime(status: JobStatus, changed: Changes): Finding[] {
  const path = "status.completionTime";
  const { startTime, completionTime } = status;
  const isComplete = hasCondition({ status }, "Complete");
  const findings: Finding[] = [];
  if (changed.complete || changed.completionTime) {
    if (completionTime !== undefined && !isComplete) {
      const detail = "cannot set completionTime when there is no Complete=True condition";
      findings.push(invalid(path, completionTime, detail));
    }
    if (completionTime === undefined && isComplete) {
      findings.push(required(path, "completionTime is required for Complete jobs"));
    }
  }
  const hasBoth = startTime !== undefined && completionTime !== undefined;
  if (hasBoth && (changed.startTime || changed.completionTime)) {
    if (Date.parse(completionTime) < Date.parse(startTime)) {
      findings.push(invalid(path, completionTime, "must be equal to or after `startTime`"));
    }
  }
  return findings;
}

/** The end of a Job is announced by an interim condition while its pods are still terminating. */
function validateInterim(status: JobStatus, changed: Changes): Finding[] {
  const findings: Finding[] = [];
  if (hasCondition({ status }, "Failed") && (changed.failed || changed.failedIndexes)) {
    const detail = "cannot set Failed=True condition without the FailureTarget=true condition";
    findings.push(...withCondition(status, "FailureTarget", detail));
  }
  if (hasCondition({ status }, "Complete") && (changed.complete || changed.successCriteriaMet)) {
    const detail =
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
    findings.push(...withCondition(status, "SuccessCriteriaMet", detail));
  }
  return findings;
}

function validateFinished({ spec, status }: Job, changed: Changes): Finding[] {
  if (!isFinished({ status })) return [];
  const { active = 0, startTime, uncountedTerminatedPods: uncounted = {} } = status;
  const findings: Finding[] = [];
  if (active > 0 && (changed.finished || changed.active)) {
    findings.push(invalid("status.active", active, "active>0 is invalid for finished job"));
  }
  // A suspended Job with 0 completions completes without ever being started.
  const neverStarts = spec.suspend === true && spec.completions === 0;
  if (startTime === undefined && !neverStarts && (changed.finished || changed.startTime)) {
    findings.push(required("status.startTime", "startTime is required for finished job"));
  }
  const hasUncounted = (uncounted.succeeded?.length ?? 0) + (uncounted.failed?.length ?? 0) > 0;
  if (hasUncounted && (changed.finished || changed.uncountedPods)) {
    const value = uncountedPodsDump(uncounted);
    const detail = "must be empty for finished job";
    findings.push(invalid("status.uncountedTerminatedPods", value, detail));
  }
  return findings;
}

function validatePodCounts(status: JobStatus, changed: Changes): Finding[] {
  const { active = 0, ready, terminating = 0 } = status;
  const findings: Finding[] = [];
  if (terminating > 0 && isFinished({ status }) && (changed.finished || changed.terminating)) {
    const detail = "terminating>0 is invalid for finished job";
    findings.push(invalid("status.terminating", terminating, detail));
  }
  if (ready !== undefined && ready > active && (changed.ready || changed.active)) {
    findings.push(invalid("status.ready", ready, "cannot set more ready pods than active"));
  }
  return findings;
}

function validateSuccessCriteria(
  { spec, status }: Job,
  { JobSuccessPolicy }: FeatureGates,
): Finding[] {
  if (hasCondition({ status }, "SuccessCriteriaMet")) {
    const others = ["Failed", "FailureTarget"] as const;
    return others.flatMap((type) =>
      without(status, type, `cannot set SuccessCriteriaMet=True and ${type}=true conditions`),
    );
  }
  const hasPolicy = JobSuccessPolicy && spec.successPolicy !== undefined;
  if (!hasPolicy || !hasCondition({ status }, "Complete")) return [];
  const detail =
    "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
  return [invalid("status.conditions", OMITTED, detail)];
}

function without(status: JobStatus, type: JobConditionType, detail: string): Finding[] {
  return hasCondition({ status }, type) ? [invalid("status.conditions", OMITTED, detail)] : [];
}

function withCondition(status: JobStatus, type: JobConditionType, detail: string): Finding[] {
  return hasCondition({ status }, type) ? [] : [invalid("status.conditions", OMITTED, detail)];
}
