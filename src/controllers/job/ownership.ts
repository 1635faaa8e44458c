/** Pure: which Job owns a pod, and the patches that change the owner. */
import type { PatchRequest } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import { STOPPING } from "../../api/pod-end.ts";
import { selects } from "../../api/selectors/label-selector.ts";
import { TRACKING_FINALIZER } from "./names.ts";

export function isJobReference({ apiVersion, kind }: OwnerReference): boolean {
  return apiVersion === "batch/v1" && kind === "Job";
}

export function referenceTo({ metadata }: Job): OwnerReference {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function selectorOf({ spec }: Job): (pod: Pod) => boolean {
  return selects(spec.selector);
}

/**
 * Adds owner and finalizer in one patch: a pod that is owned but not tracked could vanish
 * uncounted.
 */
export function adoption(job: Job, { metadata }: Pod): PatchRequest {
  const ownerReferences = [referenceTo(job)];
  const finalizers = [TRACKING_FINALIZER];
  return strategic({ uid: metadata.uid, ownerReferences, finalizers });
}

export function release({ metadata: owner }: Job, { metadata }: Pod): PatchRequest {
  return strategic({
    uid: metadata.uid,
    ownerReferences: [{ $patch: "delete", uid: owner.uid }],
    "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER],
  });
}

export const UNTRACK: PatchRequest = strategic({
  "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER],
});

/**
 * Removes the finalizer by its position. The server rejects the patch with 422 if the pod's
 * finalizers have changed since they were read.
 */
export function untrackingAsSeen({ metadata }: Pod): PatchRequest | undefined {
  const at = metadata.finalizers?.indexOf(TRACKING_FINALIZER) ?? -1;
  if (at < 0) return undefined;
  const path = `/metadata/finalizers/${at}`;
  const body = [
    { op: "test", path, value: TRACKING_FINALIZER },
    { op: "remove", path },
  ];
  return { type: "json", body };
}

export const STOPPED_BY_JOB: PatchRequest = strategic({ annotations: { [STOPPING]: "true" } });

function strategic(metadata: unknown): PatchRequest {
  return { type: "strategic", body: { metadata } };
}
