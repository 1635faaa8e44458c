import { expect, test } from "vitest";
import { EventAllowance } from "./event-allowance.ts";

function takenOf(allowance: EventAllowance, { times, nowMs }: { times: number; nowMs: number }) {
  let taken = 0;
  for (let time = 0; time < times; time++) if (allowance.take(nowMs)) taken++;
  return taken;
}

test("fifty at once, then five in a second", () => {
  const allowance = new EventAllowance();
  expect(takenOf(allowance, { times: 5000, nowMs: 1000 })).toBe(50);
  expect(takenOf(allowance, { times: 5000, nowMs: 2000 })).toBe(5);
  expect(takenOf(allowance, { times: 5000, nowMs: 12_000 })).toBe(50);
  expect(takenOf(allowance, { times: 5000, nowMs: 1e9 })).toBe(50);
});
