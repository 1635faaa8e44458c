/**
 * Deletes a pod for a reason outside the pod. A DisruptionTarget condition is written before the
 * deletion, so that the pod's owner can tell the disruption from a failure of the pod.
 */
import type { Client } from "../../api/client.ts";
import { DEFAULT_FEATURE_GATES, type FeatureGates } from "../../api/feature-gates.ts";
import type { Pod } from "../../api/generated/core.ts";
import { pods } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import { isNotFound } from "../../client/find.ts";

export interface Disruption {
  readonly reason: string;
  readonly message: string;
}

export interface Ending {
  /** If absent, the pod is deleted without a DisruptionTarget condition. */
  readonly disruption?: Disruption;
  /** True if no agent is left to report how the pod ended, so it is set to Failed here. */
  readonly isLost?: boolean;
  /** If the feature PodDisruptionConditions is off, no DisruptionTarget condition is written. */
  readonly gates?: FeatureGates | undefined;
  readonly nowMs: number;
}

/** Returns false if the pod no longer existed. */
export async function disruptPod(
  client: Client,
  { metadata, status }: Pod,
  { disruption, isLost = false, gates = DEFAULT_FEATURE_GATES, nowMs }: Ending,
): Promise<boolean> {
  // Yield once: the code whose change led here may run in this process, and may be about to write
  // to the same pod.
  await Promise.resolve();
  const { namespace = "", name = "", uid = "" } = metadata;
  const place = { namespace, name };
  const isOver = status.phase === "Succeeded" || status.phase === "Failed";
  const condition = gates.PodDisruptionConditions &&
    disruption && {
      type: "DisruptionTarget",
      status: "True",
      ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
      ...disruption,
      lastTransitionTime: formatTime(nowMs),
    };
  const change = {
    ...(isLost && !isOver ? { phase: "Failed" } : {}),
    ...(condition && !isOver ? { conditions: [condition] } : {}),
  };
  const grace = isLost ? { gracePeriodSeconds: 0 } : {};
  try {
    if (Object.keys(change).length > 0) {
      const body = { metadata: { uid }, status: change };
      await client.patch(pods, place, { type: "strategic", subresource: "status", body });
    }
    await client.delete(pods, place, { ...grace, preconditions: { uid } });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
