/**
 * Pure: pods that ended without anybody recording how, because their process died together with
 * everything that watched it. The kubelet reports such a container as killed, with a reason of its
 * own.
 */
import type { Pod } from "./generated/core.ts";

/** On a pod, "rerun": if its exit code is unknown, that is no failure, and its index runs again. */
export const UNKNOWN_EXIT = "tallyjob.io/unknown-exit";

export function isExitUnknown({ status }: Pod): boolean {
  const all = [status.initContainerStatuses, status.containerStatuses];
  return all.some((statuses) =>
    statuses?.some(({ state: { terminated } }) => {
      // A container that never began is reported with the same reason, and without a start.
      return terminated?.reason === REASON && Boolean(terminated.startedAt);
    }),
  );
}

export const REASON = "ContainerStatusUnknown";

/** Whether the index of the pod runs again as if the pod had never been. */
export function isRerunAfterUnknownExit(pod: Pod): boolean {
  return pod.metadata.annotations?.[UNKNOWN_EXIT] === "rerun" && isExitUnknown(pod);
}
