/** Pure: the status of a StatefulSet, from its pods. */
import type { StatefulSet, StatefulSetStatus } from "../../api/generated/apps.ts";
import type { Pod } from "../../api/generated/core.ts";
import { replicasOf, revisionOf } from "./identity.ts";
import { isRunningAndReady, isTerminating, untilAvailableMs } from "./pod-state.ts";

export interface Revisions {
  readonly current: string;
  readonly update: string;
  readonly collisions: number;
}

export function composeStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update, collisions }: Revisions,
  nowMs: number,
): StatefulSetStatus {
  const count = (isCounted: (pod: Pod) => boolean) => pods.filter(isCounted).length;
  const minReady = set.spec.minReadySeconds ?? 0;
  const staying = pods.filter((pod) => !isTerminating(pod));
  const { conditions } = set.status;
  const status = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: count(isRunningAndReady),
    currentReplicas: staying.filter((pod) => revisionOf(pod) === current).length,
    updatedReplicas: staying.filter((pod) => revisionOf(pod) === update).length,
    currentRevision: current,
    updateRevision: update,
    collisionCount: collisions,
    ...(conditions ? { conditions } : {}),
    availableReplicas: count((pod) => untilAvailableMs(pod, minReady, nowMs) === 0),
  };
  return withoutZeros(isRolledOut(set, status) ? rolledOut(status) : status);
}

function isRolledOut(set: StatefulSet, status: StatefulSetStatus): boolean {
  if (set.spec.updateStrategy.type !== "RollingUpdate") return false;
  const counts = [status.updatedReplicas, status.readyReplicas, status.replicas];
  return counts.every((count) => count === replicasOf(set));
}

function rolledOut<T extends StatefulSetStatus>(status: T): T {
  return {
    ...status,
    currentReplicas: status.updatedReplicas,
    currentRevision: status.updateRevision,
  };
}

/** Omits optional counts that are zero, as the server stores it. */
function withoutZeros(status: StatefulSetStatus): StatefulSetStatus {
  const { readyReplicas = 0, currentReplicas = 0, updatedReplicas = 0, ...others } = status;
  return {
    ...others,
    ...(readyReplicas > 0 ? { readyReplicas } : {}),
    ...(currentReplicas > 0 ? { currentReplicas } : {}),
    ...(updatedReplicas > 0 ? { updatedReplicas } : {}),
  };
}
