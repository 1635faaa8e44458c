import { afterAll, beforeAll, expect, test } from "vitest";
import { playScenarios, recordedScenarios } from "../conformance/play-scenarios.ts";
import { startTally, type Tally } from "../support/tally.ts";

let tally: Tally;

beforeAll(async () => {
  tally = await startTally({ args: ["--no-agent"] });
});

afterAll(() => tally.dispose());

test("CronJobs match the recordings, minute by minute", { timeout: 600_000 }, async () => {
  const { passed, failures } = await playScenarios(tally, "cronjobs.json");
  expect(failures, failures.join("\n")).toEqual([]);
  expect(passed).toBe((await recordedScenarios("cronjobs.json")).length);
});
