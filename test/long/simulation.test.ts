import { expect, test } from "vitest";
import { simulate } from "../simulation/simulate.ts";

const WORLDS = 10_000;

test("every Job of ten thousand worlds ends as the reference model says", async () => {
  const first = Date.now() % 2 ** 31;
  process.stdout.write(`simulation: the first seed is ${first}\n`);
  const failures: string[] = [];
  for (let seed = first; seed < first + WORLDS && failures.length < 3; seed++) {
    const { failure } = await simulate(seed);
    if (failure !== undefined) failures.push(failure);
  }
  expect(failures, failures.join("\n\n")).toEqual([]);
});
