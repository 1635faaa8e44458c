/**
 * Pure: a definition is deleted after the objects of its kind; until then it has a condition
 * Terminating.
 */
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import type { Draft } from "../../api/object.ts";
import { withCondition } from "./conditions.ts";

export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

export function markTerminating(definition: Draft<CustomResourceDefinition>, now: string): void {
  const condition = {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionPending",
    message:
      "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  const { status } = definition;
  status.conditions = withCondition(status.conditions, condition, now) as typeof status.conditions;
}
