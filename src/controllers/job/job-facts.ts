/** Pure: what a Job says about itself, asked in one place. */
import type { Job, JobSpec } from "../../api/generated/batch.ts";
import { BUILT_IN_MANAGER } from "./names.ts";

export function isIndexed({ completionMode }: JobSpec): boolean {
  return completionMode === "Indexed";
}

/** As metrics call it. */
export function completionModeOf({ spec }: Job): "Indexed" | "NonIndexed" {
  return isIndexed(spec) ? "Indexed" : "NonIndexed";
}

export function isSuspended({ spec }: Job): boolean {
  return spec.suspend === true;
}

export function isBeingDeleted({ metadata }: Job): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Each index has a number of failures of its own, and a back-off of its own. */
export function limitsEachIndex({ backoffLimitPerIndex }: JobSpec): boolean {
  return backoffLimitPerIndex !== undefined;
}

/** A pod that is terminating is neither failed nor replaced before it is over. */
export function replacesOnlyFailed({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean {
  return podReplacementPolicy === "Failed" || podFailurePolicy !== undefined;
}

/** Whose the Job is: by its managedBy, which is unset where the built-in controller is meant. */
export function managerOf({ spec }: Job): string {
  return spec.managedBy ?? BUILT_IN_MANAGER;
}

export function keyOf({ namespace = "", name = "" }: Job["metadata"]): string {
  return `${namespace}/${name}`;
}
