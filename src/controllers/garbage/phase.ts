/** Pure: how far an object is on its way out, as far as its dependents are concerned. */
import type { ObjectMeta } from "../../api/generated/meta.ts";

/** An owner being deleted waits until no dependent refers to it any more. */
export const ORPHAN = "orphan";
/** An owner being deleted waits until the dependents that block it are gone. */
export const FOREGROUND = "foregroundDeletion";

export type Phase =
  | "living"
  | "orphaning"
  | "deletingDependents"
  /** Being deleted, and what still holds it is none of the collector's business. */
  | "ending";

export function phaseOf({ deletionTimestamp, finalizers = [] }: ObjectMeta): Phase {
  if (deletionTimestamp === undefined) return "living";
  if (finalizers.includes(ORPHAN)) return "orphaning";
  if (finalizers.includes(FOREGROUND)) return "deletingDependents";
  return "ending";
}
