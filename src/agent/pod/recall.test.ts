import { describe, expect, test } from "vitest";
import {
  accepted,
  at,
  boundPod,
  deletion,
  ended,
  exited,
  running,
  runs,
} from "../../../test/builders/pod-facts.ts";
import type { PodFacts } from "./facts.ts";
import { recallPod } from "./recall.ts";
import { composePodStatus } from "./status.ts";

const always = { spec: { restartPolicy: "Always" } };
const { addresses = { hostIp: "", podIp: "" } } = accepted();
const startError = { reason: "StartError", message: "no such file" };
const before = { exit: exited(4), message: "old" };
const late = { attempt: 1, from: 3, to: 4 };

function told(facts: PodFacts) {
  const pod = boundPod(always);
  return { ...pod, status: composePodStatus(pod, facts, at(5)) };
}

test("a rejection is remembered, and nothing is added to it", () => {
  const rejection = { reason: "Unsupported", message: "no volumes" };
  const pod = told({ containers: {}, rejection });
  const recalled = recallPod(pod, { running: [], ended: [] }, at(9));
  expect(recalled.rejection).toEqual(rejection);
  expect(composePodStatus(pod, recalled, at(9))).toBe(pod.status);
});

describe("what was told is remembered", () => {
  test.each<[what: string, facts: PodFacts]>([
    ["nothing yet", accepted()],
    ["one end", accepted({ c: ended(exited(3), { terminationMessage: "m" }) })],
    ["two ends", accepted({ c: ended(exited(5, late), { before }) })],
    ["no memory", accepted({ c: ended(exited(137, { isOutOfMemory: true })) })],
    ["no such command", accepted({ c: ended(exited(127), { refusal: startError }) })],
    ["nobody knows", accepted({ c: ended(exited(137, { isLost: true })) })],
  ])("%s", (_what, facts) => {
    const pod = told(facts);
    const recalled = recallPod(pod, { running: [], ended: [] }, at(9));
    expect(recalled.acceptedMs).toBe(facts.acceptedMs);
    expect(composePodStatus(pod, { ...recalled, addresses }, at(9))).toBe(pod.status);
  });
});

test("a run that goes on is found again, with its past", () => {
  const run = running("c", { attempt: 1, seconds: 4 });
  const pod = told(accepted({ c: { attempt: 1, running: run, last: exited(3) } }));
  const recalled = recallPod(pod, { running: [run], ended: [] }, at(9));
  expect(recalled.containers.c).toEqual({ attempt: 1, running: run, last: exited(3) });
});

test("an end that nobody was there to hear is told", () => {
  const pod = told(accepted({ c: runs() }));
  const recalled = recallPod(pod, { running: [], ended: [exited(7)] }, at(9));
  expect(recalled.containers.c).toEqual({ attempt: 1, last: exited(7) });
});

test("an end that was told already is no news", () => {
  const pod = told(accepted({ c: ended(exited(3), { terminationMessage: "m" }) }));
  const recalled = recallPod(pod, { running: [], ended: [exited(3)] }, at(9));
  expect(recalled.containers.c?.terminationMessage).toBe("m");
});

test("runs that were never told are found in their order", () => {
  const run = running("c", { attempt: 2 });
  const runsOfRuntime = { running: [run], ended: [exited(2, late), exited(1)] };
  const recalled = recallPod(told(accepted()), runsOfRuntime, at(9));
  const last = exited(2, late);
  expect(recalled.containers.c).toEqual({
    attempt: 2,
    running: run,
    last,
    before: { exit: exited(1) },
  });
});

test("a run of which nobody knows is lost", () => {
  const recalled = recallPod(told(accepted({ c: runs() })), { running: [], ended: [] }, at(9));
  const last = exited(137, { to: 9, isLost: true });
  expect(recalled.containers.c).toEqual({ attempt: 1, last });
});

test("a container that never began anew is still missed", () => {
  const pod = boundPod({ ...always, metadata: deletion(5) });
  const facts = accepted({ c: ended(exited(42), { firstAttempt: 1 }) });
  const over = { ...pod, status: composePodStatus(pod, facts, at(6)) };
  const recalled = recallPod(over, { running: [], ended: [exited(42)] }, at(9));
  expect(composePodStatus(over, { ...recalled, addresses }, at(9))).toBe(over.status);
});

test("containers that begin anew are not through", () => {
  const facts = accepted({ c: ended(exited(42), { firstAttempt: 1 }) });
  const recalled = recallPod(told(facts), { running: [], ended: [] }, at(9));
  expect(recalled.containers.c).toEqual(facts.containers.c);
});
