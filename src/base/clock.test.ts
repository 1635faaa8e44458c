import { afterEach, expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";
import { ManualClock } from "./manual-clock.ts";

afterEach(() => vi.useRealTimers());

const DAY_MS = 86_400_000;

test("the system clock supports delays longer than Node's maximum timeout", () => {
  vi.useFakeTimers();
  const task = vi.fn();
  systemClock.schedule(60 * DAY_MS, task);
  vi.advanceTimersByTime(60 * DAY_MS - 1);
  expect(task).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(task).toHaveBeenCalledTimes(1);
});

test("a cancelled task does not run, even in a later part of a long delay", () => {
  vi.useFakeTimers();
  const task = vi.fn();
  const timer = systemClock.schedule(60 * DAY_MS, task);
  vi.advanceTimersByTime(30 * DAY_MS);
  timer.cancel();
  vi.advanceTimersByTime(90 * DAY_MS);
  expect(task).not.toHaveBeenCalled();
});

test("a manual clock runs due tasks in order, each at its own time", () => {
  const clock = new ManualClock(1000);
  const seen: string[] = [];
  const note = (name: string) => () => void seen.push(`${name}@${clock.nowMs()}`);
  clock.schedule(20, note("late"));
  clock.schedule(10, note("first"));
  clock.schedule(10, note("second"));
  clock.schedule(10, () => clock.schedule(5, note("nested")));
  clock.schedule(15, note("cancelled")).cancel();
  expect(clock.untilNextMs()).toBe(10);
  clock.advance(19);
  expect(seen).toEqual(["first@1010", "second@1010", "nested@1015"]);
  clock.advance(1);
  expect(seen.at(-1)).toBe("late@1020");
  expect([clock.monotonicMs(), clock.untilNextMs()]).toEqual([20, undefined]);
});
