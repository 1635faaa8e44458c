/** Pure: what a status says for the first time that is worth an event, in kubelet's words. */
import type { ContainerStatus, Pod, PodStatus } from "../../api/generated/core.ts";

export interface Announcement {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container?: string;
}

const NONE: readonly Announcement[] = [];

export function announcementsOf(before: Pod, next: PodStatus): readonly Announcement[] {
  const { status } = before;
  const backoffs = [
    ...backoffsIn(before, next.containerStatuses, status.containerStatuses),
    ...backoffsIn(before, next.initContainerStatuses, status.initContainerStatuses),
  ];
  const { reason, message = "" } = next;
  const isLate = reason === "DeadlineExceeded" && status.reason !== reason;
  if (!isLate) return backoffs.length === 0 ? NONE : backoffs;
  return [...backoffs, { type: "Normal", reason, message }];
}

function backoffsIn(
  { metadata }: Pod,
  next: readonly ContainerStatus[] = [],
  old: readonly ContainerStatus[] = [],
): readonly Announcement[] {
  const fresh = next.filter(({ name, state, restartCount }) => {
    if (state.waiting?.reason !== BACKOFF) return false;
    const known = old.find((each) => each.name === name);
    return known?.state.waiting?.reason !== BACKOFF || known.restartCount !== restartCount;
  });
  const { name: podName, namespace, uid } = metadata;
  return fresh.map(({ name }) => ({
    type: "Warning",
    reason: "BackOff",
    message: `Back-off restarting failed container ${name} in pod ${podName}_${namespace}(${uid})`,
    container: name,
  }));
}

const BACKOFF = "CrashLoopBackOff";
