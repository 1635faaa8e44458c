import { afterAll, beforeAll, expect, test } from "vitest";
import { playScenarios, recordedScenarios } from "../conformance/play-scenarios.ts";
import { startTally, type Tally } from "../support/tally.ts";

let tally: Tally;

beforeAll(async () => {
  tally = await startTally({ args: ["--no-agent"] });
});

afterAll(() => tally.dispose());

test.each([1, 2, 3])("Jobs match the recordings, repetition %i", async () => {
  const { passed, failures } = await playScenarios(tally, "jobs.json");
  expect(failures, failures.join("\n")).toEqual([]);
  expect(passed).toBe((await recordedScenarios("jobs.json")).length);
});
