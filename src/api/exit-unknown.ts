/**
 * Pure: pods whose exit code is unknown, because their process died together with everything that
 * watched it. The kubelet reports such a container as killed, with a special reason.
 */
import type { Pod } from "./generated/core.ts";

/**
 * On a pod, "rerun": if its exit code is unknown, this is not a failure, and its index runs again.
 */
export const UNKNOWN_EXIT = "tallyjob.io/unknown-exit";

export function isExitUnknown({ status }: Pod): boolean {
  const all = [status.initContainerStatuses, status.containerStatuses];
  return all.some((statuses) =>
    statuses?.some(({ state: { terminated } }) => {
      // A container that never started has the same reason, but no start time.
      return terminated?.reason === REASON && Boolean(terminated.startedAt);
    }),
  );
}

export const REASON = "ContainerStatusUnknown";

/** Whether the index of the pod runs again as if the pod had never existed. */
export function isRerunAfterUnknownExit(pod: Pod): boolean {
  return pod.metadata.annotations?.[UNKNOWN_EXIT] === "rerun" && isExitUnknown(pod);
}
