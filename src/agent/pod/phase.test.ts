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
  runs,
} from "../../../test/builders/pod-facts.ts";
import type { PodFacts } from "./facts.ts";
import { phaseOf } from "./phase.ts";

type Row = [what: string, pod: BoundPodFields, facts: PodFacts, phase: string];

function testPhases(rows: readonly Row[]): void {
  test.each(rows)("%s", (_what, fields, facts, phase) => {
    const { phase: found, reason } = phaseOf(boundPod(fields), facts, at(20));
    expect(reason === undefined ? found : `${found}: ${reason}`).toBe(phase);
  });
}

const always = { restartPolicy: "Always" };
const [good, bad] = [ended(exited(0)), ended(exited(1))];
const two = { containers: [containerNamed("c"), containerNamed("d")] };
const d = (exitCode: number) => ended(exited(exitCode, { container: "d" }));
const starting = { attempt: 0, isStarting: true };

describe("the phase of app containers", () => {
  testPhases([
    ["none ever started", {}, accepted(), "Pending"],
    ["it is starting", {}, accepted({ c: starting }), "Pending"],
    ["it runs", {}, accepted({ c: runs() }), "Running"],
    ["one never started", { spec: two }, accepted({ c: runs() }), "Pending"],
    ["one runs, one is through", { spec: two }, accepted({ c: runs(), d: d(1) }), "Running"],
    ["it succeeded", {}, accepted({ c: good }), "Succeeded"],
    ["it failed", {}, accepted({ c: bad }), "Failed"],
    ["one of two failed", { spec: two }, accepted({ c: good, d: d(1) }), "Failed"],
    ["its end was lost", {}, accepted({ c: ended(exited(0, { isLost: true })) }), "Failed"],
    ["it is restarted", { spec: always }, accepted({ c: good }), "Running"],
    [
      "it waits for its restart",
      { spec: always },
      accepted({ c: { ...bad, attempt: 5 } }),
      "Running",
    ],
    [
      "it is being restarted",
      { spec: always },
      accepted({ c: { ...bad, isStarting: true } }),
      "Running",
    ],
  ]);
});

const sidecar = containerNamed("s", always);
const beside = { initContainers: [sidecar, containerNamed("i")] };
const i = (exitCode: number) => ended(exited(exitCode, { container: "i" }));
const s = runs("s");
const down = ended(exited(1, { container: "s" }));

describe("the phase beside init containers", () => {
  testPhases([
    ["a sidecar is not started", { spec: beside }, accepted({ s: down }), "Pending"],
    ["one runs", { spec: beside }, accepted({ s, i: runs("i") }), "Pending"],
    ["all are done", { spec: beside }, accepted({ s, i: i(0) }), "Pending"],
    ["one failed and a sidecar lives", { spec: beside }, accepted({ s, i: i(1) }), "Pending"],
    ["one failed", { spec: beside }, accepted({ s: down, i: i(1) }), "Failed"],
    ["one is tried again", { spec: { ...beside, ...always } }, accepted({ s, i: i(1) }), "Pending"],
    ["the app runs", { spec: beside }, accepted({ s, i: i(0), c: runs() }), "Running"],
    ["a sidecar is down", { spec: beside }, accepted({ s: down, i: i(0), c: runs() }), "Running"],
    ["a sidecar is left", { spec: beside }, accepted({ s, i: i(0), c: good }), "Running"],
    [
      "a sidecar failed last",
      { spec: beside },
      accepted({ s: down, i: i(0), c: good }),
      "Succeeded",
    ],
  ]);
});

const deleted = { metadata: deletion(5) };
const spec = { activeDeadlineSeconds: 10 };
const late = ended(exited(0, { to: 12 }));
const eviction = { reason: "Terminated", message: "m", sinceMs: at(5) };
const rejection = { reason: "OutOfcpu", message: "m" };

describe("the phase of a pod that may not go on", () => {
  testPhases([
    ["deleted, a process lives", deleted, accepted({ c: runs() }), "Running"],
    ["deleted, a process may live", deleted, accepted({ c: starting }), "Pending"],
    ["deleted, never started", deleted, accepted(), "Failed"],
    ["deleted, succeeded", { ...deleted, spec: always }, accepted({ c: good }), "Succeeded"],
    ["deleted, failed", { ...deleted, spec: always }, accepted({ c: bad }), "Failed"],
    ["gone, succeeded", { spec: always }, accepted({ c: good }, { isRemoved: true }), "Succeeded"],
    ["past its deadline, a process lives", { spec }, accepted({ c: runs() }), "Running"],
    ["past its deadline", { spec }, accepted({ c: late }), "Failed: DeadlineExceeded"],
    ["through before its deadline", { spec }, accepted({ c: good }), "Succeeded"],
    ["evicted, a process lives", {}, accepted({ c: runs() }, { eviction }), "Running"],
    ["evicted", {}, accepted({ c: late }, { eviction }), "Failed: Terminated"],
    ["through before it was evicted", {}, accepted({ c: good }, { eviction }), "Succeeded"],
    ["rejected", {}, accepted({}, { rejection }), "Failed: OutOfcpu"],
  ]);
});

const over = { status: { phase: "Failed", reason: "Evicted", message: "m" } };

describe("the phase that was stored", () => {
  testPhases([
    ["is final", over, accepted({ c: good }), "Failed: Evicted"],
    ["is final while a process lives", over, accepted({ c: runs() }), "Failed: Evicted"],
    ["is not taken back to Pending", { status: { phase: "Running" } }, accepted(), "Running"],
  ]);
});

test("a rejected pod says so", () => {
  const { message } = phaseOf(boundPod(), accepted({}, { rejection }), at(1));
  expect(message).toBe("Pod was rejected: m");
});
