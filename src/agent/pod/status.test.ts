import { expect, test } from "vitest";
import {
  accepted,
  at,
  boundPod,
  deletion,
  ended,
  exited,
  runs,
} from "../../../test/builders/pod-facts.ts";
import { isEqual } from "../../api/equal.ts";
import type { Pod, PodStatus } from "../../api/generated/core.ts";
import { draftOf } from "../../api/object.ts";
import type { PodFacts } from "./facts.ts";
import { composePodStatus } from "./status.ts";

const START = "2026-01-01T00:00:00Z";

function stored(pod: Pod, status: PodStatus): Pod {
  return { ...pod, status: draftOf(status) };
}

test("an accepted pod in full", () => {
  expect(composePodStatus(boundPod(), accepted(), at(0))).toEqual({
    phase: "Pending",
    qosClass: "BestEffort",
    observedGeneration: 1,
    startTime: START,
    hostIP: "10.0.0.1",
    hostIPs: [{ ip: "10.0.0.1" }],
    podIP: "10.0.0.2",
    podIPs: [{ ip: "10.0.0.2" }],
    containerStatuses: [expect.objectContaining({ name: "c" })],
    conditions: [
      condition("PodReadyToStartContainers", "True"),
      condition("Initialized", "True"),
      ...["Ready", "ContainersReady"].map((type) => ({
        ...condition(type, "False"),
        reason: "ContainersNotReady",
        message: "containers with unready status: [c]",
      })),
      condition("PodScheduled", "True"),
    ],
  });
});

function condition(type: string, status: string): object {
  return { type, status, lastProbeTime: null, lastTransitionTime: START, observedGeneration: 1 };
}

test("when nothing is new it is the stored status itself", () => {
  const pod = boundPod();
  for (const facts of [accepted(), accepted({ c: runs() }), accepted({ c: ended(exited(0)) })]) {
    const next = stored(pod, composePodStatus(pod, facts, at(3)));
    expect(composePodStatus(next, facts, at(9))).toBe(next.status);
  }
});

test("what others own is kept", () => {
  const theirs = { type: "x/y", status: "True", message: "mine" };
  const status = { conditions: [theirs], nominatedNodeName: "m", qosClass: "BestEffort" };
  const next = composePodStatus(boundPod({ status }), accepted({ c: runs() }), at(3));
  expect(next).toMatchObject({ nominatedNodeName: "m", qosClass: "BestEffort" });
  expect(next.conditions?.[0]).toMatchObject(theirs);
});

test("a reason goes with what it was for, and stays with what is over", () => {
  const status = { reason: "NodeLost", message: "m" };
  const next = composePodStatus(boundPod({ status }), accepted({ c: runs() }), at(3));
  expect(next).not.toHaveProperty("reason");
  expect(next).not.toHaveProperty("message");
  const lost = boundPod({ status: { ...status, phase: "Failed" } });
  expect(composePodStatus(lost, accepted({ c: runs() }), at(3))).toMatchObject(status);
});

test("of a rejected pod nothing is said but that", () => {
  const facts: PodFacts = { containers: {}, rejection: { reason: "OutOfpods", message: "m" } };
  const pod = boundPod();
  const next = composePodStatus(pod, facts, at(3));
  expect(
    isEqual(next, {
      ...pod.status,
      phase: "Failed",
      reason: "OutOfpods",
      message: "Pod was rejected: m",
      startTime: "2026-01-01T00:00:03Z",
      observedGeneration: 1,
    }),
  ).toBe(true);
});

test("a deletion is noticed", () => {
  const pod = boundPod({ metadata: deletion(2) });
  const next = composePodStatus(pod, accepted({ c: runs() }), at(3));
  expect(next.observedGeneration).toBe(2);
  expect(next.conditions?.map(({ observedGeneration }) => observedGeneration)).toEqual([
    2, 2, 2, 2, 2,
  ]);
});
