import { expect, test } from "vitest";
import { isReplay, ONCE_FAILED, SEEDS } from "./seeds.ts";
import { simulate } from "./simulate.ts";

const seen = new Set<string>();
/** Much longer than needed, because the machine may be busy. */
const timeout = 600_000;

test("every Job of every world ends as the reference model says", { timeout }, async () => {
  for (const seed of SEEDS) {
    const report = await simulate(seed);
    expect(report.failure, report.failure).toBeUndefined();
    for (const each of report.seen) seen.add(each);
  }
});

test.each(ONCE_FAILED)("seed $seed no longer fails: $problem", { timeout }, async ({ seed }) => {
  const { failure } = await simulate(seed);
  expect(failure, failure).toBeUndefined();
});

test("the same seed produces the same world, to its last line", { timeout }, async () => {
  const hashes = async () => {
    const reports = [];
    for (const seed of SEEDS.slice(0, 10)) reports.push(await simulate(seed));
    return reports.map(({ hash }) => hash);
  };
  const first = await hashes();
  expect(await hashes()).toEqual(first);
  expect(new Set(first).size).toBe(first.length);
});

test("together the worlds have seen every kind of event and failure", () => {
  const expected = isReplay ? [] : EVERYTHING;
  expect(expected.filter((each) => !seen.has(each))).toEqual([]);
});

const EVERYTHING = [
  "Complete True CompletionsReached",
  "Complete True SuccessPolicy",
  "Failed True BackoffLimitExceeded",
  "Failed True DeadlineExceeded",
  "Failed True FailedIndexes",
  "Failed True MaxFailedIndexesExceeded",
  "Failed True PodFailurePolicy",
  "Suspended True JobSuspended",
  "Suspended False JobResumed",
  "a user adds",
  "a user creates",
  "a user deletes",
  "a user labels",
  "a user limits",
  "a user replaces",
  "a user resumes",
  "a user scales",
  "a user sets",
  "a user suspends",
  "a watch of",
  "forecast BackoffLimitExceeded",
  "forecast CompletionsReached",
  "forecast FailedIndexes",
  "job hears no",
  "job is refused:",
  "the controllers crash",
  "the server crashes",
  "what came after",
];
