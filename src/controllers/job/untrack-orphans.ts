/** Takes the finalizer off pods that no Job will release: its Job is gone, or finished without. */
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { pods } from "../../api/resources.ts";
import { isNotFound } from "./change-pods.ts";
import { UNTRACK } from "./ownership.ts";
import { isAbandoned } from "./watches.ts";

export async function untrackOrphan(
  client: Client,
  pod: Pod | undefined,
  job: Job | undefined,
): Promise<void> {
  if (!pod || !isAbandoned(pod, job)) return;
  const { namespace = "", name = "" } = pod.metadata;
  try {
    await client.patch(pods, { namespace, name }, UNTRACK);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
