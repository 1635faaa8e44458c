/** A fixed set of stories in every change; thousands are in test/long/run-model.test.ts. */
import { expect, test } from "vitest";
import { attemptSeed } from "./attempt-story.ts";
import { FIXED_SEEDS } from "./seeds.ts";

const AT_ONCE = 4;
/** A story that fails is played again and again until it is small. */
const LONGEST_MS = 900_000;

test("every story of the fixed set ends as the reference model says", {
  timeout: LONGEST_MS,
}, async () => {
  const waiting = [...FIXED_SEEDS];
  const failures: string[] = [];
  const work = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const { failure } = await attemptSeed(seed);
      if (failure !== undefined) failures.push(failure);
      if (failures.length > 1) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(failures, failures.join("\n\n")).toEqual([]);
});
