/** Adopts pods that match a Job's selector, and releases owned pods that no longer match. */
import type { Client, Name, PatchRequest } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { jobs, pods } from "../../api/resources.ts";
import { noteWrite, type OwnWrites } from "./own-writes.ts";
import { adoption, release } from "./ownership.ts";

export interface Claims {
  readonly adopted: readonly Pod[];
  readonly released: readonly Pod[];
}

/**
 * Before adopting, the Job is read from the server, because the cache may not show yet that the Job
 * is being deleted.
 */
export async function claimPods(
  client: Client,
  writes: OwnWrites,
  job: Job,
  { adopted, released }: Claims,
): Promise<void> {
  const claim = async (pod: Pod, patch: PatchRequest): Promise<void> => {
    try {
      noteWrite(writes, "pods", await client.patch(pods, nameOf(pod), patch));
    } catch (error) {
      // The pod is gone or was replaced by another one: nothing to claim.
      const isMoot = error instanceof ApiError && MOOT.includes(error.reason);
      if (!isMoot) throw error;
    }
  };
  await Promise.all(released.map((pod) => claim(pod, release(job, pod))));
  if (adopted.length === 0) return;
  const fresh = await client.get(jobs, nameOf(job));
  const isSame = fresh.metadata.uid === job.metadata.uid;
  if (!isSame || fresh.metadata.deletionTimestamp !== undefined) return;
  await Promise.all(adopted.map((pod) => claim(pod, adoption(job, pod))));
}

const MOOT = ["NotFound", "Invalid", "Conflict"];

function nameOf({ metadata }: Job | Pod): Name {
  const { namespace = "", name = "" } = metadata;
  return { namespace, name };
}
