/** Pure: validates the completed and failed indexes of a Job's status. */
import { type Finding, invalid } from "../../api/finding.ts";
import type { Job } from "../../api/generated/batch.ts";
import { isStillInOrder } from "./index-change.ts";
import { findOverlap, parseIndexes } from "./index-format.ts";
import { findShared } from "./index-overlap.ts";

export interface IndexChanges {
  readonly completedIndexes: boolean;
  readonly failedIndexes: boolean;
}

const COMPLETED = "status.completedIndexes";
const FAILED = "status.failedIndexes";

export function validateStatusIndexes(job: Job, old: Job, changed: IndexChanges): Finding[] {
  const { completions, backoffLimitPerIndex, completionMode } = job.spec;
  const { completedIndexes = "", failedIndexes } = job.status;
  const hasFailedIndexes = changed.failedIndexes && failedIndexes !== undefined;
  const findings: Finding[] = [];
  if (changed.completedIndexes) {
    const before = old.status.completedIndexes;
    findings.push(...validateFormat({ text: completedIndexes, before }, completions, COMPLETED));
  }
  if (hasFailedIndexes && backoffLimitPerIndex !== undefined) {
    const before = old.status.failedIndexes;
    findings.push(...validateFormat({ text: failedIndexes, before }, completions, FAILED));
  }
  if (changed.completedIndexes && completedIndexes !== "" && completionMode !== "Indexed") {
    const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
    findings.push(invalid(COMPLETED, completedIndexes, detail));
  }
  if (hasFailedIndexes && backoffLimitPerIndex === undefined) {
    const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    findings.push(invalid(FAILED, failedIndexes, detail));
  }
  if (changed.completedIndexes || changed.failedIndexes) {
    // A text that is not in order cannot be searched.
    findings.push(...validateDisjoint(job, findings.length === 0 ? findShared : findOverlap));
  }
  return findings;
}

interface ChangedText {
  readonly text: string;
  /** The stored text, which is known to be in order. */
  readonly before: string | undefined;
}

function validateFormat(
  { text, before = "" }: ChangedText,
  completions: number | undefined,
  path: string,
): Finding[] {
  if (completions === undefined || isStillInOrder(text, before, completions)) return [];
  const parsed = parseIndexes(text, completions);
  if (!("problem" in parsed)) return [];
  const field = path.replace("status.", "");
  return [invalid(path, text, `error parsing ${field}: ${parsed.problem}`)];
}

function validateDisjoint({ spec, status }: Job, find: typeof findOverlap): Finding[] {
  const { completedIndexes = "", failedIndexes } = status;
  if (spec.completions === undefined || failedIndexes === undefined) return [];
  const index = find(completedIndexes, failedIndexes, spec.completions);
  if (index === undefined) return [];
  const detail = `failedIndexes and completedIndexes overlap at index: ${index}`;
  return [invalid(FAILED, failedIndexes, detail)];
}
