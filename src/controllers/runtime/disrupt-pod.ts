/** Ends a pod for reasons that are not its own, and says so first: its owner must not count it. */
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
  /** Absent: the pod is ended without being called disrupted. */
  readonly disruption?: Disruption;
  /** Nobody is left to say how it ended. */
  readonly isLost?: boolean;
  /** Without PodDisruptionConditions nobody is called disrupted. */
  readonly gates?: FeatureGates | undefined;
  readonly nowMs: number;
}

/** Whether the pod was there to be deleted. */
export async function disruptPod(
  client: Client,
  { metadata, status }: Pod,
  { disruption, isLost = false, gates = DEFAULT_FEATURE_GATES, nowMs }: Ending,
): Promise<boolean> {
  // Whoever changed what led here, in this process perhaps, goes on first: it may be at the pod.
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
