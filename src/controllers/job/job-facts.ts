/** Pure: properties of a Job that several rules use. */
import type { Job, JobSpec } from "../../api/generated/batch.ts";
import { BUILT_IN_MANAGER } from "./names.ts";

export function isIndexed({ completionMode }: JobSpec): boolean {
  return completionMode === "Indexed";
}

/** The label value used in metrics. */
export function completionModeOf({ spec }: Job): "Indexed" | "NonIndexed" {
  return isIndexed(spec) ? "Indexed" : "NonIndexed";
}

export function isSuspended({ spec }: Job): boolean {
  return spec.suspend === true;
}

export function isBeingDeleted({ metadata }: Job): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** True if each index has its own failure limit and its own back-off. */
export function limitsEachIndex({ backoffLimitPerIndex }: JobSpec): boolean {
  return backoffLimitPerIndex !== undefined;
}

/** True if a terminating pod is neither counted as failed nor replaced until it has ended. */
export function replacesOnlyFailed({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean {
  return podReplacementPolicy === "Failed" || podFailurePolicy !== undefined;
}

/**
 * The controller that manages the Job: spec.managedBy, or the built-in controller if it is unset.
 */
export function managerOf({ spec }: Job): string {
  return spec.managedBy ?? BUILT_IN_MANAGER;
}

export function keyOf({ namespace = "", name = "" }: Job["metadata"]): string {
  return `${namespace}/${name}`;
}
