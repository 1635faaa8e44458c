import { describe, expect, test } from "vitest";
import {
  accepted,
  at,
  type BoundPodFields,
  boundPod,
  containerNamed,
  deletion,
  ended,
  exited,
  running,
  runs,
} from "../../../test/builders/pod-facts.ts";
import type { ContainerStatus } from "../../api/generated/core.ts";
import type { ContainerFacts } from "./facts.ts";
import { composePodStatus } from "./status.ts";

function statusOf(facts: ContainerFacts | undefined, fields: BoundPodFields = {}): ContainerStatus {
  const known = accepted(facts === undefined ? {} : { c: facts });
  const { containerStatuses = [] } = composePodStatus(boundPod(fields), known, at(20));
  return containerStatuses[0] as ContainerStatus;
}

const always = { spec: { restartPolicy: "Always" } };
const deleted = { metadata: deletion(5), ...always };
const initContainers = [containerNamed("i")];
const unfound = { reason: "CreateContainerConfigError", message: 'configmap "m" not found' };
const startError = { reason: "StartError", message: 'exec: "x": executable file not found' };
const missed = "The container could not be located when the pod was terminated";

test("a running container in full", () => {
  expect(statusOf(runs())).toEqual({
    name: "c",
    state: { running: { startedAt: "2026-01-01T00:00:01Z" } },
    lastState: {},
    ready: true,
    restartCount: 0,
    image: "busybox:1.36",
    imageID: "",
    containerID: "process://u/c/0",
    started: true,
  });
});

test("a finished container in full", () => {
  expect(statusOf(ended(exited(3), { terminationMessage: "no more" }))).toEqual({
    name: "c",
    state: {
      terminated: {
        exitCode: 3,
        reason: "Error",
        message: "no more",
        startedAt: "2026-01-01T00:00:01Z",
        finishedAt: "2026-01-01T00:00:02Z",
        containerID: "process://u/c/0",
      },
    },
    lastState: {},
    ready: false,
    restartCount: 0,
    image: "busybox:1.36",
    imageID: "",
    containerID: "process://u/c/0",
    started: false,
  });
});

describe("a container waits", () => {
  test.each<[what: string, ContainerFacts | undefined, BoundPodFields, waiting: object]>([
    ["to be created", undefined, {}, { reason: "ContainerCreating" }],
    ["while it starts", { attempt: 0, isStarting: true }, {}, { reason: "ContainerCreating" }],
    ["for init containers", undefined, { spec: { initContainers } }, { reason: "PodInitializing" }],
    ["for what it needs", { attempt: 0, waiting: unfound }, {}, unfound],
    ["to restart with what it needs", ended(exited(1), { waiting: unfound }), always, unfound],
    [
      "for its back-off",
      ended(exited(1, { attempt: 4 })),
      always,
      {
        reason: "CrashLoopBackOff",
        message: "back-off 1m20s restarting failed container=c pod=p_default(u)",
      },
    ],
    [
      "and while it is restarted after that",
      ended(exited(1, { attempt: 1 }), { isStarting: true }),
      always,
      {
        reason: "CrashLoopBackOff",
        message: "back-off 10s restarting failed container=c pod=p_default(u)",
      },
    ],
  ])("%s", (_what, facts, fields, waiting) => {
    expect(statusOf(facts, fields)).toMatchObject({ state: { waiting }, ready: false });
  });
});

describe("a container has ended", () => {
  test.each<[what: string, ContainerFacts | undefined, BoundPodFields, terminated: object]>([
    ["well", ended(exited(0)), {}, { exitCode: 0, reason: "Completed" }],
    ["badly", ended(exited(137)), {}, { exitCode: 137, reason: "Error" }],
    [
      "out of memory",
      ended(exited(137, { isOutOfMemory: true })),
      {},
      { exitCode: 137, reason: "OOMKilled" },
    ],
    [
      "before it began",
      ended(exited(127), { refusal: startError }),
      {},
      { exitCode: 127, ...startError },
    ],
    [
      "unseen",
      ended(exited(0, { isLost: true })),
      {},
      { exitCode: 137, reason: "ContainerStatusUnknown", message: missed },
    ],
    ["for a moment", ended(exited(1)), always, { exitCode: 1, reason: "Error" }],
    ["for good when it is deleted", ended(exited(1, { attempt: 4 })), deleted, { exitCode: 1 }],
    [
      "without having begun when it is deleted",
      undefined,
      deleted,
      { exitCode: 137, reason: "ContainerStatusUnknown", message: missed, finishedAt: null },
    ],
  ])("%s", (_what, facts, fields, terminated) => {
    expect(statusOf(facts, fields)).toMatchObject({ state: { terminated }, ready: false });
  });
});

describe("the last state", () => {
  const second = { attempt: 1, running: running("c", { attempt: 1, seconds: 9 }) };
  const before = { exit: exited(4), message: "old" };

  test("of a running container is its former run", () => {
    const status = statusOf({ ...second, last: exited(4), terminationMessage: "old" });
    expect(status).toMatchObject({
      restartCount: 1,
      containerID: "process://u/c/1",
      lastState: { terminated: { exitCode: 4, message: "old", containerID: "process://u/c/0" } },
    });
  });

  test("of a container that ended is the run before", () => {
    const { state, lastState } = statusOf(ended(exited(5, { attempt: 1 }), { before }));
    expect(state.terminated?.exitCode).toBe(5);
    expect(lastState.terminated).toMatchObject({ exitCode: 4, message: "old" });
  });

  test("of a waiting container is its latest run", () => {
    const { lastState } = statusOf(ended(exited(5, { attempt: 1 }), { before }), always);
    expect(lastState.terminated?.exitCode).toBe(5);
  });
});

test("probes tell what is started and what is ready", () => {
  expect(statusOf(runs("c", { isReady: false }))).toMatchObject({ started: true, ready: false });
  expect(statusOf(runs("c", { isStarted: false }))).toMatchObject({ started: false, ready: false });
});

test("an init container is ready when it has succeeded", () => {
  const pod = boundPod({ spec: { initContainers } });
  const facts = accepted({ i: ended(exited(0, { container: "i" })) });
  const { initContainerStatuses = [] } = composePodStatus(pod, facts, at(5));
  expect(initContainerStatuses[0]).toMatchObject({ ready: true, started: false });
});

test("an app that was not reached is not missed", () => {
  const pod = boundPod({ spec: { initContainers }, metadata: deletion(5) });
  const facts = accepted({ i: ended(exited(143, { container: "i" })) });
  const { phase, containerStatuses = [] } = composePodStatus(pod, facts, at(5));
  expect(phase).toBe("Failed");
  expect(containerStatuses[0]?.state).toEqual({ waiting: { reason: "PodInitializing" } });
});

test("whoever knows nothing of a container takes nothing back", () => {
  const pod = boundPod();
  const told = composePodStatus(pod, accepted({ c: ended(exited(3)) }), at(3));
  expect(composePodStatus({ ...pod, status: told }, accepted(), at(9))).toBe(told);
});
