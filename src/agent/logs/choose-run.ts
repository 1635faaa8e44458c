/**
 * Pure: which run of a container is meant by its log, and what is said where there is none.
 * The rules and their words are those of the kubelet (validateContainerLogStatus).
 */

import { quote } from "../../api/finding.ts";
import type { ContainerStatus, Pod } from "../../api/generated/core.ts";

export interface Asked {
  readonly container: string;
  readonly previous: boolean;
}

export type ChosenRun = { readonly containerId: string } | { readonly problem: string };

export function chooseRun(pod: Pod, { container, previous }: Asked): ChosenRun {
  const what = `container ${quote(container)} in pod ${quote(pod.metadata.name ?? "")}`;
  const status = findStatus(pod, container);
  if (!status) return { problem: `${what} is not available` };
  const { running, terminated, waiting } = status.state;
  const last = status.lastState.terminated;
  if (previous) return run(last?.containerID, `previous terminated ${what} not found`);
  if (running) return run(status.containerID, `${what} is not available`);
  if (terminated) return run(terminated.containerID || last?.containerID, `${what} is terminated`);
  if (last) return run(last.containerID, `${what} is terminated`);
  const why = waiting ? `: ${reasonFor(waiting.reason ?? "")}` : " - no logs yet";
  return { problem: `${what} is waiting to start${why}` };
}

function findStatus({ status }: Pod, name: string): ContainerStatus | undefined {
  const all = [
    status.containerStatuses,
    status.initContainerStatuses,
    status.ephemeralContainerStatuses,
  ];
  for (const statuses of all) {
    const found = statuses?.find((each) => each.name === name);
    if (found) return found;
  }
  return undefined;
}

function run(containerId: string | undefined, problem: string): ChosenRun {
  return containerId ? { containerId } : { problem };
}

function reasonFor(reason: string): string {
  return REASONS[reason] ?? reason;
}

const REASONS: { readonly [reason: string]: string } = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: "trying and failing to pull image",
};

/** Where the runtime names containers itself: by how often it was restarted. */
export function attemptByCount(pod: Pod, { container, previous }: Asked): number | undefined {
  const status = findStatus(pod, container);
  if (!status) return undefined;
  const { state, restartCount } = status;
  const isShown = state.running !== undefined || state.terminated?.containerID !== undefined;
  return previous && isShown ? restartCount - 1 : restartCount;
}

/** "RUNTIME://POD_UID/CONTAINER/ATTEMPT" */
export function attemptOf(containerId: string): number | undefined {
  const attempt = /^[^:]+:\/\/[^/]+\/[^/]+\/(\d+)$/.exec(containerId)?.[1];
  return attempt === undefined ? undefined : Number(attempt);
}
