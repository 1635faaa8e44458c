import fc from "fast-check";
import { expect, test } from "vitest";
import { anAttempt } from "../../test/builders/attempt.ts";
import { addIndex, emptyIndexes } from "../api/index-set.ts";
import type { Attempt, Outcome } from "./attempt.ts";
import { candidates, type JobIndexes, merged, stateAfterJob, stateOf } from "./index-state.ts";
import { type IndexState, STATES } from "./index-states.ts";

const UID = "this-job";
const COMPLETE = { isFinished: true, isComplete: true };

test.each<[string, Partial<JobIndexes>, Attempt | undefined, IndexState]>([
  ["nothing is known about it", {}, undefined, "Pending"],
  ["it is completed", { completed: setOf(0) }, ended("Failed"), "Succeeded"],
  ["it failed permanently", { failed: setOf(0) }, ended("Failed"), "Failed"],
  ["its pod runs", current("Running"), ended("Failed"), "Running"],
  ["its pod is pending", current("Pending"), ended("Failed"), "Pending"],
  ["one of its pods runs", current("Pending", "Running"), undefined, "Running"],
  [
    "it runs again although it is completed",
    { ...current("Running"), completed: setOf(0) },
    undefined,
    "Running",
  ],
  ["it failed and will be retried", {}, ended("Failed"), "BackingOff"],
  ["it failed and the Job is finished", { isFinished: true }, ended("Failed"), "Failed"],
  ["it failed and the Job has succeeded without it", COMPLETE, ended("Failed"), "NotRun"],
  ["it was stopped", {}, ended("Deleted"), "Pending"],
  ["it was stopped and the Job is finished", { isFinished: true }, ended("Deleted"), "NotRun"],
  ["the Job is finished and it was never tried", { isFinished: true }, undefined, "NotRun"],
  ["it failed in an earlier Job", {}, ended("Failed", "former"), "Pending"],
  ["it succeeded but is not counted yet", {}, ended("Succeeded"), "Succeeded"],
])("the state of an index when %s", (_, known, last, expected) => {
  expect(stateOf(aJob(known), 0, last, () => true)).toBe(expected);
});

test("a success that no longer counts is repeated", () => {
  expect(stateOf(aJob({}), 0, ended("Succeeded"), () => false)).toBe("Pending");
});

test.each<[Outcome | undefined, IndexState]>([
  ["Succeeded", "Succeeded"],
  ["Failed", "Failed"],
  ["Deleted", "NotRun"],
  [undefined, "NotRun"],
])("after the Job, an index whose last attempt was %s is %s", (outcome, expected) => {
  expect(stateAfterJob(outcome && ended(outcome))).toBe(expected);
});

test("candidates contain every index in a wanted state, in order and once", () => {
  const place = fc.constantFrom("none", "completed", "failed", "Running", "Pending");
  const noted = fc.constantFrom<Outcome | undefined>("Failed", "Succeeded", "Deleted", undefined);
  const index = fc.record({ place, noted });
  const states = fc.subarray([...STATES]);
  fc.assert(
    fc.property(fc.array(index), states, fc.nat(2), fc.nat(5), (all, wanted, end, from) => {
      const at = (name: string) => all.flatMap((one, n) => (one.place === name ? [n] : []));
      const running = at("Running");
      const waiting = at("Pending");
      const job = aJob({
        completions: all.length,
        isFinished: end > 0,
        isComplete: end > 1,
        completed: setOf(...at("completed")),
        failed: setOf(...at("failed")),
        current: new Map([
          ...running.map((n) => [n, [ended("Running")]] as const),
          ...waiting.map((n) => [n, [ended("Pending")]] as const),
        ]),
        currentIndexes: setOf(...running, ...waiting),
      });
      const lastOf = (n: number) => {
        const outcome = all[n]?.noted;
        return outcome && ended(outcome);
      };
      const state = (n: number) => stateOf(job, n, lastOf(n), () => true);
      const nextNoted = (n: number) => {
        const found = all.findIndex((one, at) => at >= n && one.noted !== undefined);
        return found < 0 ? undefined : found;
      };
      const asked = new Set(wanted);
      const looked = [...merged(candidates(job, asked, nextNoted), from)];
      const expected = all.map((_, n) => n).filter((n) => n >= from && asked.has(state(n)));
      expect(looked.filter((n) => asked.has(state(n)))).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test("attempts are read only if the index sets do not give the answer", () => {
  const completed = setOf(...Array.from({ length: 900 }, (_, n) => n));
  const job = aJob({ completions: 1000, completed, failed: setOf(950) });
  let read = 0;
  const nextNoted = (from: number) => {
    read++;
    return from <= 960 ? 960 : undefined;
  };
  const find = (state: IndexState) => [...merged(candidates(job, new Set([state]), nextNoted), 0)];
  expect([find("Failed"), read]).toEqual([[950], 0]);
  expect([find("BackingOff"), read <= 4]).toEqual([[960], true]);
});

function aJob(known: Partial<JobIndexes>): JobIndexes {
  return {
    uid: UID,
    completions: 10,
    completed: emptyIndexes(),
    failed: emptyIndexes(),
    isFinished: false,
    isComplete: false,
    current: new Map(),
    currentIndexes: emptyIndexes(),
    ...known,
  };
}

function setOf(...indexes: readonly number[]) {
  const set = emptyIndexes();
  for (const index of indexes) addIndex(set, index);
  return set;
}

function current(...outcomes: readonly Outcome[]): Partial<JobIndexes> {
  const attempts = outcomes.map((outcome) => ended(outcome));
  return { current: new Map([[0, attempts]]), currentIndexes: setOf(0) };
}

function ended(outcome: Outcome, jobUID = UID): Attempt {
  return anAttempt({ outcome, jobUID });
}
