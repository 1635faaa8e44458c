import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../test/builders/job.ts";
import { aJobPod, exited } from "../../test/builders/job-pods.ts";
import { COMPLETION_INDEX } from "../api/completion-index.ts";
import { EXACT_TIMES } from "../api/exact-times.ts";
import type { ContainerStatus, Pod, PodStatus } from "../api/generated/core.ts";
import { STOPPED } from "../api/pod-end.ts";
import { podFactory } from "../controllers/job/new-pod.ts";
import { attemptsEndedBy, currentAttempt, LOG_FILE } from "./attempt.ts";

const job = aJob(INDEXED, { name: "work" });
const NOW = Date.parse("2026-01-01T01:00:00Z");
const BEGAN = "2026-01-01T00:00:05Z";
const MIDDLE = "2026-01-01T00:00:30Z";
const ENDED = "2026-01-01T00:01:00Z";

test.each<[string, PodStatus, object]>([
  [
    "success",
    { phase: "Succeeded", containerStatuses: [ended("c", 0, { reason: "Completed" })] },
    { outcome: "Succeeded", exitCode: 0, reason: "Completed", startTime: BEGAN, endTime: ENDED },
  ],
  [
    "failure",
    { phase: "Failed", containerStatuses: [ended("c", 3, { reason: "Error", signal: 9 })] },
    { outcome: "Failed", exitCode: 3, signal: 9, reason: "Error" },
  ],
  [
    "the container that failed first, and the end of the last",
    {
      phase: "Failed",
      containerStatuses: [
        ended("a", 143, { finishedAt: ENDED }),
        ended("b", 7, { finishedAt: MIDDLE, message: "why" }),
        ended("c", 0, { finishedAt: BEGAN }),
      ],
    },
    { outcome: "Failed", exitCode: 7, message: "why", endTime: ENDED },
  ],
  [
    "an init container that failed",
    {
      phase: "Failed",
      initContainerStatuses: [ended("i", 4, {})],
      containerStatuses: [{ ...exited("c", 0), state: { waiting: {} } }],
    },
    { outcome: "Failed", exitCode: 4, endTime: ENDED },
  ],
  [
    "an eviction",
    { phase: "Failed", reason: "Evicted", message: "low on memory", startTime: BEGAN },
    { outcome: "Failed", reason: "Evicted", message: "low on memory", startTime: BEGAN },
  ],
  [
    "a disruption",
    {
      phase: "Failed",
      conditions: [{ type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" }],
      containerStatuses: [ended("c", 137, { reason: "Error" })],
    },
    { outcome: "Failed", exitCode: 137, reason: "DeletionByTaintManager" },
  ],
  ["an end without details", { phase: "Failed" }, { outcome: "Failed" }],
])("the end of a pod is recorded as an attempt: %s", (_, status, expected) => {
  const [noted, ...more] = step(aPod(status), aPod({ phase: "Running" }));
  expect(more).toEqual([]);
  expect(noted).toMatchObject({ jobName: "work", index: 3, run: "~" });
  expect(noted?.attempt).toMatchObject({ pod: "work-3-u", podUID: "u", jobUID: job.metadata.uid });
  expect(noted?.attempt).toMatchObject(expected);
});

test("an attempt has the node and the log file, and a long message is truncated", () => {
  const pod = aPod({ phase: "Failed", message: "m".repeat(1000) }, { [LOG_FILE]: "/logs/u" });
  const [noted] = step({ ...pod, spec: { ...pod.spec, nodeName: "here" } }, undefined);
  expect(noted?.attempt).toMatchObject({ node: "here", logFile: "/logs/u" });
  expect(noted?.attempt.message).toHaveLength(257);
});

test("exact times reported by the node are used", () => {
  const status = { phase: "Succeeded", containerStatuses: [ended("c", 0, {})] };
  const ran = `${Date.parse(BEGAN) + 120}-${Date.parse(BEGAN) + 345}`;
  const [noted] = step(aPod(status, { [EXACT_TIMES]: ran }), undefined);
  const times = { startTime: "2026-01-01T00:00:05.120Z", endTime: "2026-01-01T00:00:05.345Z" };
  expect(noted?.attempt).toMatchObject(times);
});

test("a pod deleted before its end is an attempt that ended at that time", () => {
  const running = aPod({ phase: "Running", startTime: BEGAN });
  const [noted] = attemptsEndedBy({ pod: running, isDeleted: true, nowMs: NOW });
  expect(noted?.attempt).toMatchObject({
    outcome: "Deleted",
    reason: "Deleted",
    startTime: BEGAN,
    endTime: "2026-01-01T01:00:00Z",
  });
  expect(noted?.run).toBe("~");
});

test("a pod deleted before any of its processes started is not an attempt", () => {
  const missed = { exitCode: 137, reason: "ContainerStatusUnknown", startedAt: null };
  const containerStatuses = [{ ...exited("c", 137), state: { terminated: missed } }];
  const waiting = aPod({ phase: "Pending" });
  const over = deleted(aPod({ phase: "Failed", startTime: BEGAN, containerStatuses }));
  expect(step(over, waiting)).toEqual([]);
  expect(attemptsEndedBy({ pod: waiting, isDeleted: true, nowMs: NOW })).toEqual([]);
});

test("a pod stopped by its Job is a deleted attempt with its exit code", () => {
  const status = { phase: "Failed", containerStatuses: [ended("c", 143, {})] };
  const ran = { [EXACT_TIMES]: "1-2" };
  const stopped = deleted(aPod(status, { ...ran, [STOPPED]: "true" }));
  expect(step(stopped, undefined)[0]?.attempt).toMatchObject({ outcome: "Deleted", exitCode: 143 });
  const killed = deleted(aPod(status, ran));
  expect(step(killed, undefined)[0]?.attempt).toMatchObject({ outcome: "Failed", exitCode: 143 });
});

test("a restart in place is recorded as a separate attempt, once", () => {
  const before = aPod({ phase: "Running", containerStatuses: [running("c", 0)] });
  const after = aPod({ phase: "Running", containerStatuses: [running("c", 1, 5)] });
  expect(step(after, before)).toMatchObject([
    { run: "c\x00000001", attempt: { outcome: "Failed", exitCode: 5, endTime: ENDED } },
  ]);
  expect(step(after, after)).toEqual([]);
  const failed = aPod({ phase: "Failed", containerStatuses: [ended("c", 6, {}, 2)] });
  expect(step(failed, after).map(({ run, attempt }) => [run, attempt.exitCode])).toEqual([
    ["c\x00000002", 1],
    ["~", 6],
  ]);
});

test.each<[string, Pod, Pod | undefined]>([
  ["a new pod", aPod({ phase: "Pending" }), undefined],
  ["a pod that starts", aPod({ phase: "Running" }), aPod({ phase: "Pending" })],
  [
    "a pod whose finalizer is removed after its end",
    aPod({ phase: "Succeeded" }),
    { ...aPod({ phase: "Succeeded" }), spec: { containers: [] } },
  ],
  ["a pod without an index", withoutIndex(aPod({ phase: "Failed" })), undefined],
  ["a pod without an owner", orphan(aPod({ phase: "Failed" })), undefined],
  ["a pod with a bad index", aPod({ phase: "Failed" }, { [COMPLETION_INDEX]: "-1" }), undefined],
  [
    "a pod with a huge index",
    aPod({ phase: "Failed" }, { [COMPLETION_INDEX]: "2147483648" }),
    undefined,
  ],
])("%s records no attempt", (_, pod, previous) => {
  expect(step(pod, previous)).toEqual([]);
});

test.each([
  ["changed", "4"],
  ["removed", undefined],
])("the attempt belongs to its original index if the annotation was %s", (_what, index) => {
  const made = podFactory(job)({ index: 3 });
  const pod = withoutIndex(aPod({ phase: "Failed" }));
  const annotations = index === undefined ? {} : { [COMPLETION_INDEX]: index };
  const edited = { ...pod, metadata: { ...pod.metadata, annotations }, spec: made.spec };
  expect(step(edited, undefined)).toMatchObject([{ jobName: "work", index: 3 }]);
});

test("deleting a finished pod records no attempt", () => {
  const pod = aPod({ phase: "Succeeded" });
  expect(attemptsEndedBy({ pod, isDeleted: true, nowMs: NOW })).toEqual([]);
});

test("later details about the end of a pod replace the attempt", () => {
  const before = aPod({ phase: "Failed" });
  const after = aPod({ phase: "Failed" }, { [LOG_FILE]: "/logs/u" });
  expect(step(after, before)).toMatchObject([{ run: "~", attempt: { logFile: "/logs/u" } }]);
});

test.each<[string, PodStatus, object | undefined]>([
  ["pending", { phase: "Pending" }, { outcome: "Pending" }],
  [
    "running",
    { phase: "Running", startTime: BEGAN, containerStatuses: [running("c", 0)] },
    { outcome: "Running", startTime: MIDDLE },
  ],
  ["over", { phase: "Succeeded" }, undefined],
])("the current attempt of a pod that is %s", (_, status, expected) => {
  const current = currentAttempt(aPod(status))?.attempt;
  if (expected) expect(current).toMatchObject(expected);
  else expect(current).toBeUndefined();
});

function aPod(status: PodStatus, annotations: Record<string, string> = {}): Pod {
  const pod = aJobPod(job, { uid: "u", index: 3, status });
  const all = { ...pod.metadata.annotations, ...annotations };
  return { ...pod, metadata: { ...pod.metadata, annotations: all } };
}

function deleted(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: ENDED } };
}

function step(pod: Pod, previous: Pod | undefined) {
  return attemptsEndedBy({ pod, ...(previous ? { previous } : {}), isDeleted: false, nowMs: NOW });
}

function ended(name: string, exitCode: number, more: object, restartCount = 0): ContainerStatus {
  const terminated = { exitCode, startedAt: BEGAN, finishedAt: ENDED, ...more };
  const lastState = { terminated: { exitCode: 1 } };
  return { ...exited(name, exitCode), restartCount, state: { terminated }, lastState };
}

function running(name: string, restartCount: number, lastExitCode = 0): ContainerStatus {
  const terminated = { exitCode: lastExitCode, startedAt: BEGAN, finishedAt: ENDED };
  const state = { running: { startedAt: MIDDLE } };
  return { ...exited(name, 0), restartCount, state, lastState: { terminated } };
}

function withoutIndex(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, annotations: {} } };
}

function orphan(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [] } };
}
