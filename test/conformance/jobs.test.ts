/**
 * Plays scenarios of Jobs against `tally up`, and compares them with recordings of a real
 * Kubernetes 1.36.4.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTally, type Tally } from "../support/tally.ts";
import { playScenarios, recordedScenarios } from "./play-scenarios.ts";

let tally: Tally;

beforeAll(async () => {
  tally = await startTally({ args: ["--no-agent"] });
});

afterAll(() => tally.dispose());

test("Jobs match the recordings", { timeout: 600_000 }, async () => {
  const { passed, failures } = await playScenarios(tally, "jobs.json");
  expect(failures, failures.join("\n")).toEqual([]);
  expect(passed).toBe((await recordedScenarios("jobs.json")).length);
});
