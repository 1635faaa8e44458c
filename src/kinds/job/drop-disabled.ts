/**
 * Pure: removes fields of a Job whose feature is off. A new Job loses them silently. A Job that had
 * them before keeps them, so that switching a feature off and on again loses nothing.
 */
import type { FeatureGates } from "../../api/feature-gates.ts";
import type { JobSpec } from "../../api/generated/batch.ts";
import type { Draft } from "../../api/object.ts";

type Field =
  | "completionMode"
  | "backoffLimitPerIndex"
  | "maxFailedIndexes"
  | "podFailurePolicy"
  | "successPolicy"
  | "podReplacementPolicy"
  | "managedBy";

export function dropDisabledJobFields(
  spec: Draft<JobSpec>,
  gates: FeatureGates,
  old?: JobSpec,
): void {
  const dropNew = (isEnabled: boolean, ...fields: readonly Field[]) => {
    if (isEnabled) return;
    for (const field of fields) if (old?.[field] === undefined) delete spec[field];
  };
  dropNew(gates.IndexedJob, "completionMode");
  dropNew(gates.JobBackoffLimitPerIndex, "backoffLimitPerIndex", "maxFailedIndexes");
  dropNew(gates.JobPodFailurePolicy, "podFailurePolicy");
  dropNew(gates.JobSuccessPolicy, "successPolicy");
  dropNew(gates.JobPodReplacementPolicy, "podReplacementPolicy");
  dropNew(gates.JobManagedBy, "managedBy");
  // Only for a new Job: the policy of an existing one is immutable as a whole.
  if (!gates.JobBackoffLimitPerIndex && old === undefined) dropFailIndexRules(spec);
  if (old) keepUnsaidMode(spec, old);
}

function dropFailIndexRules({ podFailurePolicy }: Draft<JobSpec>): void {
  if (!podFailurePolicy?.rules) return;
  podFailurePolicy.rules = podFailurePolicy.rules.filter(({ action }) => action !== "FailIndex");
}

/**
 * A Job created while the gate was off has no mode, which means NonIndexed. Sending the default
 * does not change it.
 */
function keepUnsaidMode(spec: Draft<JobSpec>, old: JobSpec): void {
  if (old.completionMode === undefined && spec.completionMode === "NonIndexed") {
    delete spec.completionMode;
  }
}
