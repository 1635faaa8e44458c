import { expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import { attemptByCount, attemptOf, chooseRun } from "./choose-run.ts";

const ID = "process://u/c/0";
const NEXT = "process://u/c/1";
const over = { exitCode: 1, containerID: ID };
const running = { running: { startedAt: "2026-01-01T00:00:00Z" } };

test.each<[string, object, string]>([
  ["running", { state: running, containerID: ID }, ID],
  ["over", { state: { terminated: over }, containerID: ID }, ID],
  ["running again", { state: running, containerID: NEXT, lastState: { terminated: over } }, NEXT],
  [
    "waiting to be restarted",
    { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: over } },
    ID,
  ],
  [
    "over without having run again",
    { state: { terminated: { exitCode: 128 } }, lastState: { terminated: over } },
    ID,
  ],
])("a container that is %s has a log", (_, status, containerId) => {
  expect(choose(status)).toEqual({ containerId });
});

test.each<[string, object, string]>([
  ["CreateContainerConfigError", {}, "is waiting to start: CreateContainerConfigError"],
  ["ContainerCreating", {}, "is waiting to start: ContainerCreating"],
  ["ErrImagePull", {}, "is waiting to start: image can't be pulled"],
  ["ImagePullBackOff", {}, "is waiting to start: trying and failing to pull image"],
  ["", { state: {} }, "is waiting to start - no logs yet"],
  ["", { state: { terminated: { exitCode: 137 } } }, "is terminated"],
  ["", { state: {}, lastState: { terminated: { exitCode: 137 } } }, "is terminated"],
])("one that has not run (%s, %j) has none", (reason, status, problem) => {
  expect(choose({ state: { waiting: { reason } }, ...status })).toEqual({
    problem: `container "c" in pod "p" ${problem}`,
  });
});

test("one that nobody has reported on is not available", () => {
  expect(chooseRun(storedPod(), { container: "c", previous: false })).toEqual({
    problem: 'container "c" in pod "p" is not available',
  });
});

test("the run before is the one that is over", () => {
  const status = { state: running, containerID: NEXT, lastState: { terminated: over } };
  expect(choose(status, true)).toEqual({ containerId: ID });
});

test.each([[{}], [{ terminated: { exitCode: 137 } }]])(
  "where nothing ran before (%j) there is no log of it",
  (lastState) => {
    expect(choose({ state: running, containerID: ID, lastState }, true)).toEqual({
      problem: 'previous terminated container "c" in pod "p" not found',
    });
  },
);

test("init containers have logs too", () => {
  const init = { name: "i", ...common, state: { terminated: over } };
  const pod = storedPod({ status: { initContainerStatuses: [init] } });
  expect(chooseRun(pod, { container: "i", previous: false })).toEqual({ containerId: ID });
});

test.each([
  ["process://6b9c-1/main/12", 12],
  ["process://u/c/x", undefined],
  ["docker://abcdef", undefined],
])("%s is the attempt %s", (containerId, attempt) => {
  expect(attemptOf(containerId)).toBe(attempt);
});

const common = { ready: false, restartCount: 0, image: "", imageID: "", lastState: {} };

function choose(status: object, previous = false) {
  const containerStatuses = [{ name: "c", ...common, ...status }];
  return chooseRun(storedPod({ status: { containerStatuses } }), { container: "c", previous });
}

test.each<[string, object, boolean, number]>([
  ["what runs", { state: running }, false, 2],
  ["what ran before that", { state: running }, true, 1],
  ["what is over", { state: { terminated: over } }, false, 2],
  ["what ran before it was over", { state: { terminated: over } }, true, 1],
  ["what waits to be restarted", { state: { waiting: { reason: "x" } } }, true, 2],
])("the count of restarts tells the attempt of %s", (_, status, previous, attempt) => {
  const own = { name: "c", restartCount: 2, lastState: {}, ...status };
  const pod = storedPod({ status: { containerStatuses: [own] } });
  expect(attemptByCount(pod, { container: "c", previous })).toBe(attempt);
});
