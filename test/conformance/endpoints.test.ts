/**
 * Plays scenarios of Services, and compares their endpoints with those recorded on a real
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

test("Services have the recorded endpoints", { timeout: 120_000 }, async () => {
  const { passed, failures } = await playScenarios(tally, "endpoints.json");
  expect(failures, failures.join("\n")).toEqual([]);
  expect(passed).toBe((await recordedScenarios("endpoints.json")).length);
});
