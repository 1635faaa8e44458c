import { expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import type { PodFacts } from "./facts.ts";
import { planPod } from "./plan.ts";
import { composePodStatus } from "./status.ts";
import { runBegan, runEnded } from "./transitions.ts";

const POD = storedPod({
  spec: {
    restartPolicy: "Always",
    containers: [{ name: "c", image: "i" }],
    ephemeralContainers: [{ name: "debug", image: "i" }],
  },
});

const ACCEPTED: PodFacts = { containers: {}, acceptedMs: 0 };

function began(facts: PodFacts, container: string): PodFacts {
  return runBegan(facts, { id: idOf(container), pid: 7, startedMs: 1000 });
}

function ended(facts: PodFacts, container: string, exitCode: number): PodFacts {
  return runEnded(facts, { id: idOf(container), exitCode, startedMs: 1000, finishedMs: 2000 });
}

function idOf(container: string) {
  return { podUid: POD.metadata.uid ?? "", container, attempt: 0 };
}

function startsOf(facts: PodFacts): readonly string[] {
  const { actions } = planPod(POD, facts, 3000);
  return actions.flatMap((action) => (action.kind === "start" ? [action.container] : []));
}

test("an ephemeral container is started once, whatever it ends with", () => {
  const running = began(ACCEPTED, "c");
  expect(startsOf(running)).toEqual(["debug"]);
  expect(startsOf(began(running, "debug"))).toEqual([]);
  expect(startsOf(ended(began(running, "debug"), "debug", 1))).toEqual([]);
});

test("what is said of it is said apart: it makes nothing ready, and fails nothing", () => {
  const facts = ended(began(began(ACCEPTED, "c"), "debug"), "debug", 3);
  const status = composePodStatus(POD, facts, 3000);
  expect(status.phase).toBe("Running");
  expect(status.containerStatuses).toMatchObject([{ name: "c", ready: true }]);
  const [debug] = status.ephemeralContainerStatuses ?? [];
  expect(debug).toMatchObject({
    name: "debug",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 3, reason: "Error" } },
  });
  expect(debug).not.toHaveProperty("started");
});

test("it is ended with its pod", () => {
  const deleted = {
    ...POD,
    metadata: {
      ...POD.metadata,
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 30,
    },
  };
  const facts = began(began(ACCEPTED, "c"), "debug");
  expect(planPod(deleted, facts, 3000).actions).toMatchObject([
    { kind: "stop", containers: ["c", "debug"] },
  ]);
});
