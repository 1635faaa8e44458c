/** Pure: the deletion state of an object, as far as its dependents are concerned. */
import type { ObjectMeta } from "../../api/generated/meta.ts";

/** Finalizer: the owner is kept until no dependent refers to it any more. */
export const ORPHAN = "orphan";
/** Finalizer: the owner is kept until its blocking dependents are gone. */
export const FOREGROUND = "foregroundDeletion";

export type Phase =
  | "living"
  | "orphaning"
  | "deletingDependents"
  /** Being deleted, and held only by finalizers that the garbage collector does not handle. */
  | "ending";

export function phaseOf({ deletionTimestamp, finalizers = [] }: ObjectMeta): Phase {
  if (deletionTimestamp === undefined) return "living";
  if (finalizers.includes(ORPHAN)) return "orphaning";
  if (finalizers.includes(FOREGROUND)) return "deletingDependents";
  return "ending";
}
