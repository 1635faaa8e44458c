/** Pure: validates the counters of a Job's status and its uncounted pods. */
import { duplicate, type Finding, invalid } from "../../api/finding.ts";
import type { JobStatus, UncountedTerminatedPods } from "../../api/generated/batch.ts";
import { validateNonnegative } from "../meta/object-meta.ts";

const COUNTERS = ["active", "succeeded", "failed", "ready", "terminating"] as const;

export function validateCounters(status: JobStatus): Finding[] {
  return COUNTERS.flatMap((field) => validateNonnegative(status[field] ?? 0, `status.${field}`));
}

/** A pod is counted once: as succeeded or as failed. */
export function validateUncountedPods(pods: UncountedTerminatedPods = {}): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const) {
    for (const [at, uid] of (pods[list] ?? []).entries()) {
      const path = `status.uncountedTerminatedPods.${list}[${at}]`;
      if (uid === "") findings.push(invalid(path, uid, "must not be empty"));
      else if (seen.has(uid)) findings.push(duplicate(path, uid));
      else seen.add(uid);
    }
  }
  return findings;
}
