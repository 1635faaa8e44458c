import { describe, expect, test } from "vitest";
import {
  accepted,
  at,
  type BoundPodFields,
  boundPod,
  containerNamed,
  ended,
  exited,
  runs,
} from "../../../test/builders/pod-facts.ts";
import type { PodStatus } from "../../api/generated/core.ts";
import type { PodFacts } from "./facts.ts";
import { composePodStatus } from "./status.ts";

const START = "2026-01-01T00:00:00Z";

function conditionsOf({ conditions = [] }: PodStatus): Record<string, string> {
  const words = conditions.map(({ type, status, reason, message }) => {
    const rest = [reason, message].filter((text) => text !== undefined).join(": ");
    return [type, rest === "" ? status : `${status} ${rest}`];
  });
  return Object.fromEntries(words);
}

const over = { PodReadyToStartContainers: "False", PodScheduled: "True" };
const up = { PodReadyToStartContainers: "True", PodScheduled: "True" };
const initContainers = [containerNamed("s", { restartPolicy: "Always" }), containerNamed("i")];
const incomplete = "False ContainersNotInitialized: containers with incomplete status:";
const unready = "False ContainersNotReady: containers with unready status:";
const gates = { readinessGates: [{ conditionType: "a/b" }, { conditionType: "c/d" }] };
const gated = [{ type: "c/d", status: "False" }];
const eviction = { reason: "Terminated", message: "the node stops", sinceMs: at(1) };

describe("conditions of a pod", () => {
  test.each<[what: string, BoundPodFields, PodFacts, conditions: object]>([
    [
      "running",
      {},
      accepted({ c: runs() }),
      { ...up, Initialized: "True", Ready: "True", ContainersReady: "True" },
    ],
    [
      "succeeded",
      {},
      accepted({ c: ended(exited(0)) }),
      {
        ...over,
        Initialized: "True PodCompleted",
        Ready: "False PodCompleted",
        ContainersReady: "False PodCompleted",
      },
    ],
    [
      "failed",
      {},
      accepted({ c: ended(exited(1)) }),
      {
        ...over,
        Initialized: "True",
        Ready: "False PodFailed",
        ContainersReady: "False PodFailed",
      },
    ],
    [
      "initializing",
      { spec: { initContainers } },
      accepted({ s: runs("s", { isReady: false }), i: runs("i") }),
      {
        ...up,
        Initialized: `${incomplete} [i]`,
        Ready: `${unready} [s c]`,
        ContainersReady: `${unready} [s c]`,
      },
    ],
    [
      "a sidecar is down again",
      { spec: { initContainers } },
      accepted({ s: ended(exited(1, { container: "s" })), c: runs() }),
      { ...up, Initialized: "True", Ready: `${unready} [s]`, ContainersReady: `${unready} [s]` },
    ],
    [
      "others have a say in readiness",
      { spec: gates, status: { conditions: gated } },
      accepted({ c: runs() }),
      {
        "c/d": "False",
        ...up,
        Initialized: "True",
        ContainersReady: "True",
        Ready:
          'False ReadinessGatesNotReady: corresponding condition of pod readiness gate "a/b" ' +
          'does not exist., the status of pod readiness gate "c/d" is not "True", but False',
      },
    ],
    [
      "the node ended it",
      {},
      accepted({ c: ended(exited(143)) }, { eviction }),
      {
        ...over,
        Initialized: "True",
        Ready: "False PodFailed",
        ContainersReady: "False PodFailed",
        DisruptionTarget: "True TerminationByKubelet: the node stops",
      },
    ],
  ])("%s", (_what, fields, facts, conditions) => {
    expect(conditionsOf(composePodStatus(boundPod(fields), facts, at(9)))).toEqual(conditions);
  });
});

test("a condition tells that all containers are restarted", () => {
  const action = "RestartAllContainers";
  const restartPolicyRules = [{ action, exitCodes: { operator: "In", values: [42] } }];
  const c = containerNamed("c", { restartPolicy: "Never", restartPolicyRules });
  const pod = boundPod({ spec: { containers: [c] } });
  const told = (facts: PodFacts) =>
    conditionsOf(composePodStatus(pod, facts, at(3))).AllContainersRestarting;
  expect(told(accepted({ c: runs() }))).toBe("False");
  expect(told(accepted({ c: ended(exited(42)) }))).toBe(
    "True RestartAllContainersStarted: container exited with restart policy rule",
  );
  expect(told(accepted({ c: ended(exited(1)) }))).toBe("False PodFailed");
});

test("conditions keep their time until they change, and their place", () => {
  const pod = boundPod();
  const first = composePodStatus(pod, accepted(), at(0));
  const shuffled = { ...first, conditions: [...(first.conditions ?? [])].reverse() };
  const next = composePodStatus({ ...pod, status: shuffled }, accepted({ c: runs() }), at(7));
  const times = next.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]);
  expect(times).toEqual([
    ["PodScheduled", START],
    ["ContainersReady", "2026-01-01T00:00:07Z"],
    ["Ready", "2026-01-01T00:00:07Z"],
    ["Initialized", START],
    ["PodReadyToStartContainers", START],
  ]);
});
