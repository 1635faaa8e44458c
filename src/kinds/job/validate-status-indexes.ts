/** Pure: the completed and failed indexes of a Job's status. */
import { type Finding, invalid } from "../../api/finding.ts";
import type { Job } from "../../api/generated/batch.ts";
import { findOverlap, parseIndexes } from "./index-format.ts";

export interface IndexChanges {
  readonly completedIndexes: boolean;
  readonly failedIndexes: boolean;
}

const COMPLETED = "status.completedIndexes";
const FAILED = "status.failedIndexes";

export function validateStatusIndexes(job: Job, changed: IndexChanges): Finding[] {
  const { completions, backoffLimitPerIndex, completionMode } = job.spec;
  const { completedIndexes = "", failedIndexes } = job.status;
  const hasFailedIndexes = changed.failedIndexes && failedIndexes !== undefined;
  const findings: Finding[] = [];
  if (changed.completedIndexes) {
    findings.push(...validateFormat(completedIndexes, completions, COMPLETED));
  }
  if (hasFailedIndexes && backoffLimitPerIndex !== undefined) {
    findings.push(...validateFormat(failedIndexes, completions, FAILED));
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
    findings.push(...validateDisjoint(job));
  }
  return findings;
}

function validateFormat(text: string, completions: number | undefined, path: string): Finding[] {
  if (completions === undefined) return [];
  const parsed = parseIndexes(text, completions);
  if (!("problem" in parsed)) return [];
  const field = path.replace("status.", "");
  return [invalid(path, text, `error parsing ${field}: ${parsed.problem}`)];
}

function validateDisjoint({ spec, status }: Job): Finding[] {
  const { completedIndexes = "", failedIndexes } = status;
  if (spec.completions === undefined || failedIndexes === undefined) return [];
  const index = findOverlap(completedIndexes, failedIndexes, spec.completions);
  if (index === undefined) return [];
  const detail = `failedIndexes and completedIndexes overlap at index: ${index}`;
  return [invalid(FAILED, failedIndexes, detail)];
}
