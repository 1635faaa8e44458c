import { expect, test } from "vitest";
import { accepted, at, ended, exited, running, runs } from "../../../test/builders/pod-facts.ts";
import { actionBegan, runBegan, runEnded, runWasRefused, startIsHeld } from "./transitions.ts";

const second = { attempt: 1, from: 3, to: 4 };
const waiting = { reason: "CreateContainerConfigError" };

test("a start is under way until it is answered", () => {
  const asked = actionBegan(accepted(), { kind: "start", container: "c", attempt: 0 }, at(1));
  expect(asked.containers.c).toEqual({ attempt: 0, isStarting: true });
  expect(runBegan(asked, running()).containers.c).toEqual({ attempt: 0, running: running() });
});

test("a start may be held back, and let go", () => {
  const asked = accepted({ c: { attempt: 0, isStarting: true } });
  const held = startIsHeld(asked, "c", waiting);
  expect(held.containers.c).toEqual({ attempt: 0, waiting });
  expect(startIsHeld(held, "c", undefined).containers.c).toEqual({ attempt: 0 });
});

test("a start that was refused is an end", () => {
  const refusal = { reason: "StartError", message: "m" };
  const facts = runWasRefused(accepted(), exited(0).id, { exitCode: 127, ...refusal }, at(2));
  const last = exited(127, { from: 2, to: 2 });
  expect(facts.containers.c).toEqual({ attempt: 1, last, refusal });
});

test("an end leaves the one before it to be seen", () => {
  const first = accepted({
    c: { ...runs(), attempt: 1, last: exited(1), terminationMessage: "m" },
  });
  const { containers } = runEnded(first, exited(2, second), { terminationMessage: "n" });
  expect(containers.c).toEqual({
    attempt: 2,
    last: exited(2, second),
    terminationMessage: "n",
    before: { exit: exited(1), message: "m" },
  });
});

test("an end that is told twice, or after the next, changes nothing", () => {
  const facts = accepted({ c: ended(exited(2, second)) });
  expect(runEnded(facts, exited(0, second)).containers.c).toBe(facts.containers.c);
  expect(runEnded(facts, exited(1)).containers.c).toBe(facts.containers.c);
  expect(runBegan(facts, running("c", { attempt: 1 })).containers.c).toBe(facts.containers.c);
});

test("a run of more than ten minutes begins the back-off anew", () => {
  const long = exited(1, { attempt: 3, from: 0, to: 601 });
  const facts = runEnded(accepted(), long);
  expect(facts.containers.c?.backoffFrom).toBe(3);
  const next = runEnded(facts, exited(1, { attempt: 4, from: 602, to: 603 }));
  expect(next.containers.c?.backoffFrom).toBe(3);
});

test("grace counts from the first stop", () => {
  const stop = { kind: "stop", graceSeconds: 30, why: "deleted" } as const;
  const first = actionBegan(
    accepted({ c: runs(), s: runs("s") }),
    { ...stop, containers: ["c"] },
    at(1),
  );
  const both = actionBegan(first, { ...stop, containers: ["s"] }, at(5));
  expect(both.stoppingSinceMs).toBe(at(1));
  expect(both.containers.c?.stoppingSinceMs).toBe(at(1));
  expect(both.containers.s?.stoppingSinceMs).toBe(at(5));
});

test("what is asked of a run is forgotten with it", () => {
  const order = { containers: ["c"], graceSeconds: 30, why: "deleted" } as const;
  const hooked = actionBegan(accepted({ c: runs() }), { kind: "preStop", ...order }, at(1));
  const asked = actionBegan(hooked, { kind: "stop", ...order }, at(2));
  const killed = actionBegan(asked, { kind: "kill", containers: ["c"] }, at(3));
  expect(killed.containers.c).toMatchObject({
    stoppingSinceMs: at(1),
    signalledMs: at(2),
    killedMs: at(3),
  });
  expect(runEnded(killed, exited(137)).containers.c).toEqual({ attempt: 1, last: exited(137) });
});

test("all containers begin anew with a history", () => {
  const facts = accepted({
    c: ended(exited(42)),
    d: ended(exited(0, { container: "d", attempt: 2 })),
  });
  const renewed = actionBegan({ ...facts, stoppingSinceMs: at(1) }, { kind: "renew" }, at(9));
  expect(renewed).not.toHaveProperty("stoppingSinceMs");
  expect(renewed.containers.c).toEqual({ attempt: 1, firstAttempt: 1, last: exited(42) });
  expect(renewed.containers.d).toMatchObject({ attempt: 3, firstAttempt: 3 });
});
