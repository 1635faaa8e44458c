import { expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import { podCells, podRowConditions } from "./cells.ts";

const now = new Date("2026-01-01T01:00:00Z");

function row(spec: object, status: object, metadata: object = {}) {
  const pod = storedPod({ spec: { ...spec }, status: { ...status }, metadata: { ...metadata } });
  const [, ready, reason, restarts] = podCells(pod, now);
  return { ready, reason, restarts };
}

const init = (names: string[], rest: object = {}) =>
  names.map((name) => ({ name, image: "x", ...rest }));
const terminated = (exitCode: number, reason?: string) => ({ terminated: { exitCode, reason } });

test.each<[string, object, object, object]>([
  [
    "an init container that runs is counted",
    { initContainers: init(["a", "b"]) },
    {
      initContainerStatuses: [
        { name: "a", state: terminated(0) },
        { name: "b", state: { running: {} } },
      ],
    },
    { ready: "0/1", reason: "Init:1/2", restarts: "0" },
  ],
  [
    "a sidecar that has started is one of the containers",
    { initContainers: init(["s"], { restartPolicy: "Always" }) },
    {
      phase: "Running",
      initContainerStatuses: [
        { name: "s", started: true, ready: true, restartCount: 2, state: { running: {} } },
      ],
      containerStatuses: [{ name: "c", ready: true, restartCount: 1, state: { running: {} } }],
    },
    { ready: "2/2", reason: "Running", restarts: "3" },
  ],
  [
    "an initialized pod counts its containers, and keeps the reason of an init container",
    { initContainers: init(["a"]) },
    {
      phase: "Running",
      conditions: [{ type: "Initialized", status: "True" }],
      initContainerStatuses: [{ name: "a", restartCount: 5, state: { running: {} } }],
      containerStatuses: [{ name: "c", ready: true, state: { running: {} } }],
    },
    { ready: "1/1", reason: "Init:0/1", restarts: "0" },
  ],
  [
    "one completed container does not complete a pod that is not ready",
    { containers: init(["c", "d"]) },
    {
      phase: "Running",
      containerStatuses: [
        { name: "c", state: terminated(0, "Completed") },
        { name: "d", ready: true, state: { running: {} } },
      ],
    },
    { ready: "1/2", reason: "NotReady", restarts: "0" },
  ],
  [
    "the last restart is the latest end of a container",
    {},
    {
      containerStatuses: [
        {
          name: "c",
          restartCount: 2,
          state: { running: {} },
          lastState: { terminated: { exitCode: 1, finishedAt: "2026-01-01T00:55:00Z" } },
        },
      ],
    },
    { ready: "0/1", reason: "Pending", restarts: "2 (5m ago)" },
  ],
  [
    "an exit code replaces a missing reason",
    {},
    { containerStatuses: [{ name: "c", state: terminated(3) }] },
    { ready: "0/1", reason: "ExitCode:3", restarts: "0" },
  ],
])("%s", (_, spec, status, expected) => {
  expect(row(spec, status)).toEqual(expected);
});

test("a pod that is being deleted is terminating, unless it has ended or is lost", () => {
  const deleted = (status: object) => {
    const pod = storedPod({ status: { ...status } });
    pod.metadata.deletionTimestamp = "2026-01-01T00:30:00Z";
    return podCells(pod, now)[2];
  };
  expect(deleted({ phase: "Running" })).toBe("Terminating");
  expect(deleted({ phase: "Succeeded" })).toBe("Succeeded");
  expect(deleted({ phase: "Running", reason: "NodeLost" })).toBe("Unknown");
});

test("the row of a pod that has ended has a condition", () => {
  expect(podRowConditions(storedPod())).toEqual([]);
  expect(podRowConditions(storedPod({ status: { phase: "Failed" } }))).toEqual([
    { type: "Completed", status: "True", reason: "Failed", message: "The pod failed." },
  ]);
});
