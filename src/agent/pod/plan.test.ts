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
import { describePlan, testPlans } from "../../../test/builders/pod-plan.ts";
import { planPod } from "./plan.ts";
import { composePodStatus } from "./status.ts";

const always = { restartPolicy: "Always" };
const notReady = { reason: "CreateContainerConfigError", message: 'configmap "m" not found' };
const two = { spec: { containers: [containerNamed("c"), containerNamed("d")] } };
const rejection = { reason: "OutOfcpu", message: "m" };

describe("a pod is started", () => {
  testPlans([
    ["not before it is accepted", {}, { containers: {} }, 1, ""],
    ["when it is accepted", {}, accepted(), 0, "start c/0"],
    ["all app containers at once", two, accepted(), 0, "start c/0; start d/0"],
    ["once", {}, accepted({ c: { attempt: 0, isStarting: true } }), 0, ""],
    ["not while it runs", {}, accepted({ c: runs() }), 2, ""],
    ["not while it cannot be", {}, accepted({ c: { attempt: 0, waiting: notReady } }), 2, ""],
    ["never when it was rejected", {}, accepted({}, { rejection }), 0, ""],
    ["not again when it is through", {}, accepted({ c: ended(exited(1)) }), 3, ""],
  ]);
});

const inits = (...initContainers: unknown[]) => ({ spec: { initContainers } });
const pair = inits(containerNamed("i"), containerNamed("j"));
const pairAlways = { spec: { ...pair.spec, ...always } };
const beside = inits(containerNamed("s", always), containerNamed("i"));
const done = (container: string) => ended(exited(0, { container }));
const broken = (container: string) => ended(exited(1, { container }));
const s = runs("s");

describe("init containers", () => {
  testPlans([
    ["the first one first", pair, accepted(), 0, "start i/0"],
    ["the next one after its success", pair, accepted({ i: done("i") }), 2, "start j/0"],
    ["then the app", pair, accepted({ i: done("i"), j: done("j") }), 3, "start c/0"],
    ["a failure is the end if nothing restarts", pair, accepted({ i: broken("i") }), 2, ""],
    ["else it is tried again", pairAlways, accepted({ i: broken("i") }), 2, "start i/1"],
    ["success is final under any policy", pairAlways, accepted({ i: done("i") }), 2, "start j/0"],
    ["a sidecar lets the next begin", beside, accepted({ s }), 2, "start i/0"],
    ["once it is started", beside, accepted({ s: { ...s, isStarted: false } }), 2, ""],
    [
      "a sidecar is restarted during initialization",
      beside,
      accepted({ s: done("s"), i: runs("i") }),
      2,
      "start s/1",
    ],
    [
      "and beside the app",
      beside,
      accepted({ s: broken("s"), i: done("i"), c: runs() }),
      2,
      "start s/1",
    ],
    [
      "what is initialized is not so again",
      { spec: { ...beside.spec, ...always } },
      accepted({ s, c: ended(exited(0)) }),
      2,
      "start c/1",
    ],
  ]);
});

const action = "RestartAllContainers";
const restartPolicyRules = [{ action, exitCodes: { operator: "In", values: [42] } }];
const c = containerNamed("c", { restartPolicy: "Never", restartPolicyRules });
const ruled = {
  spec: { initContainers: [containerNamed("i")], containers: [c, containerNamed("d")] },
};
const trigger = ended(exited(42));
const stopped = ended(exited(143, { container: "d" }));
const former = { firstAttempt: 1 };

describe("a rule that restarts all containers", () => {
  testPlans([
    [
      "stops the others",
      ruled,
      accepted({ i: done("i"), c: trigger, d: runs("d") }),
      3,
      "stop d in 2: restartAll; again in 2",
    ],
    [
      "makes an end to what they did",
      ruled,
      accepted({ i: done("i"), c: trigger, d: stopped }),
      4,
      "renew; again in 0",
    ],
    [
      "begins with the first init container",
      ruled,
      accepted({
        i: { ...done("i"), ...former },
        c: { ...trigger, ...former },
        d: { ...stopped, ...former },
      }),
      4,
      "start i/1",
    ],
    [
      "is not followed when the pod is deleted",
      { ...ruled, metadata: deletion(3) },
      accepted({ i: done("i"), c: trigger, d: runs("d") }),
      3,
      "stop d in 30: deleted; again in 30",
    ],
  ]);
});

describe("a deleted pod is removed", () => {
  const facts = accepted({ c: ended(exited(0)) });
  const final = (fields: BoundPodFields = {}) => {
    const pod = boundPod({ ...fields, metadata: { ...deletion(1), ...fields.metadata } });
    return { ...pod, status: composePodStatus(pod, facts, at(3)) };
  };

  test("when its final status is stored", () => {
    const pod = final();
    expect(pod.status.phase).toBe("Succeeded");
    expect(describePlan(planPod(pod, facts, at(4)))).toBe("remove");
  });

  test("not before", () => {
    expect(describePlan(planPod(boundPod({ metadata: deletion(1) }), facts, at(4)))).toBe("");
    const pod = final({ status: { phase: "Failed" } });
    const stale = { ...pod, status: { ...pod.status, containerStatuses: [] } };
    expect(describePlan(planPod(stale, facts, at(4)))).toBe("");
  });

  test("not again when that was asked for and finalizers keep the object", () => {
    const pod = final({ metadata: { deletionGracePeriodSeconds: 0 } });
    expect(describePlan(planPod(pod, facts, at(4)))).toBe("");
  });

  test("not while a process lives, whoever called it over", () => {
    const alive = accepted({ c: { attempt: 1, running: running("c", { attempt: 1 }) } });
    const plan = describePlan(planPod(final(), alive, at(4)));
    expect(plan).toBe("stop c in 30: deleted; again in 30");
  });
});
