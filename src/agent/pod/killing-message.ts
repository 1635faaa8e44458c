/** Pure: what the event says of a container that is stopped, in kubelet's words. */

import { findContainer } from "../find-container.ts";
import type { PodRecord } from "../pod-record.ts";
import type { StopAction } from "./termination.ts";

export function killingMessage(
  { pod, facts }: Pick<PodRecord, "pod" | "facts">,
  container: string,
  why: StopAction["why"],
): string {
  if (why === "postStart") return "FailedPostStartHook";
  const { unhealthy } = facts.containers[container] ?? {};
  if (why !== "unhealthy" || unhealthy === undefined) return `Stopping container ${container}`;
  const policy = findContainer(pod, container)?.restartPolicy ?? pod.spec.restartPolicy;
  const restarted = policy === "Never" ? "" : ", will be restarted";
  return `Container ${container} failed ${unhealthy} probe${restarted}`;
}
