import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../test/builders/job.ts";
import { aJobPod, exited, type JobPodFields } from "../../test/builders/job-pods.ts";
import { EXACT_TIMES } from "./exact-times.ts";
import type { ContainerStatus, PodStatus } from "./generated/core.ts";
import { hasBegun, type PodEnd, podEndOf, STOPPED } from "./pod-end.ts";

const job = aJob(INDEXED, { name: "work" });
const pod = (fields: JobPodFields, annotations: { readonly [name: string]: string } = {}) => {
  const made = aJobPod(job, { index: 0, ...fields });
  const all = { ...made.metadata.annotations, ...annotations };
  return { ...made, metadata: { ...made.metadata, annotations: all } };
};

/** The status of a container that was never created, in a pod that has ended. */
const MISSED: ContainerStatus = {
  ...exited("c", 137),
  state: { terminated: { exitCode: 137, reason: "ContainerStatusUnknown", startedAt: null } },
};
const failed = (container: ContainerStatus): PodStatus => {
  return { phase: "Failed", containerStatuses: [container] };
};
const killed = { phase: "Failed", exitCode: 143, isDeleting: true };
const RAN = { [EXACT_TIMES]: "1-2" };

test.each<[string, PodEnd, ReturnType<typeof pod>]>([
  ["succeeded", "Succeeded", pod({ phase: "Succeeded", exitCode: 0 })],
  ["failed", "Failed", pod({ phase: "Failed", exitCode: 3 })],
  ["was rejected by its node", "Failed", pod({ phase: "Failed" })],
  ["was killed by the end of its Job", "Failed", pod({ ...killed, isTracked: false }, RAN)],
  ["was deleted by somebody", "Failed", pod(killed, RAN)],
  ["was stopped by its Job", "Stopped", pod(killed, { ...RAN, [STOPPED]: "true" })],
  [
    "was ended by another kind of node after its Job released it",
    "Stopped",
    pod({ ...killed, isTracked: false }),
  ],
  ["succeeded while it was stopped", "Succeeded", pod({ ...killed, phase: "Succeeded" }, RAN)],
  [
    "was deleted before it started",
    "NeverBegan",
    pod({ status: failed(MISSED), isDeleting: true }),
  ],
])("the end of a pod that %s: %s", (_, expected, given) => {
  expect(podEndOf(given, false)).toBe(expected);
});

test("the end of a removed pod depends on whether it had started", () => {
  expect(podEndOf(pod({ phase: "Running" }), true)).toBe("Stopped");
  expect(podEndOf(pod({ phase: "Pending" }), true)).toBe("NeverBegan");
});

test.each<[string, boolean, PodStatus]>([
  ["waits", false, { phase: "Pending" }],
  ["has a container that was never created", false, failed(MISSED)],
  ["has an unknown container with an ID", true, failed({ ...MISSED, containerID: "x://1" })],
  ["has an unknown container with restarts", true, failed({ ...MISSED, restartCount: 1 })],
  ["could not start", true, failed(exited("c", 127))],
  ["is initialized", true, { phase: "Pending", initContainerStatuses: [exited("i", 0)] }],
])("whether a pod has started that %s: %s", (_, expected, status) => {
  expect(hasBegun(pod({ status }))).toBe(expected);
});
