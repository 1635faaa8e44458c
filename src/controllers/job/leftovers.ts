/**
 * Clears away pods that no sync looks after any more: takes the finalizer off those whose Job is
 * gone, or is finished without having done so; deletes those that are over and counted, where the
 * Job does not keep its pods.
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

/** Without its finalizer it is named in the status, or counted: nothing is lost with it. */
export function isDisposable(pod: Pod, job: Job): boolean {
  const kept = keptPodsOf(job);
  if (kept === "all" || hasTrackingFinalizer(pod)) return false;
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  const stage = stageOf(pod);
  return stage === "succeeded" || (stage === "failed" && kept === "none");
}

/** Whether pods that could stay so far have to be looked at again. */
export function keepsFewerPods({ type, object, previous }: Change<Job>): boolean {
  const kept = keptPodsOf(object);
  return type === "MODIFIED" && kept !== "all" && (!previous || keptPodsOf(previous) !== kept);
}
