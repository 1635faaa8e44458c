/**
 * Cleans up pods that no sync manages any more: removes the finalizer if the Job is gone or
 * finished without having removed it, and deletes finished, counted pods if the Job does not keep
 * them.
 */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { pods } from "../../api/resources.ts";
import { keptPodsOf } from "./annotations.ts";
import { UNTRACK } from "./ownership.ts";
import { hasTrackingFinalizer, stageOf } from "./pod-facts.ts";
import { type Change, isAbandoned } from "./watches.ts";

export async function clearAway(client: Client, pod: Pod, job: Job | undefined): Promise<void> {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  try {
    if (isAbandoned(pod, job)) await client.patch(pods, { namespace, name }, UNTRACK);
    else if (job && isDisposable(pod, job)) {
      await client.delete(pods, { namespace, name }, { preconditions: { uid } });
    }
  } catch (error) {
    const isGone = error instanceof ApiError && ["NotFound", "Conflict"].includes(error.reason);
    if (!isGone) throw error;
  }
}

/** A pod without its finalizer is already listed in the status or counted, so it can be deleted. */
export function isDisposable(pod: Pod, job: Job): boolean {
  const kept = keptPodsOf(job);
  if (kept === "all" || hasTrackingFinalizer(pod)) return false;
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  const stage = stageOf(pod);
  return stage === "succeeded" || (stage === "failed" && kept === "none");
}

/** Whether the annotation changed such that pods kept so far may have to be deleted. */
export function keepsFewerPods({ type, object, previous }: Change<Job>): boolean {
  const kept = keptPodsOf(object);
  return type === "MODIFIED" && kept !== "all" && (!previous || keptPodsOf(previous) !== kept);
}
