import { expect, test } from "vitest";
import { addSample, formatCount, formatRate, formatTime, paceOf, type Sample } from "./progress.ts";

/** One sample each 100 ms, as a screen takes them. */
function sampled(doneAt: (ms: number) => number, untilMs: number): readonly Sample[] {
  let samples: readonly Sample[] = [];
  for (let atMs = 0; atMs <= untilMs; atMs += 100) {
    samples = addSample(samples, { atMs, done: doneAt(atMs) });
  }
  return samples;
}

test("a steady run has a constant rate and a matching remaining time", () => {
  const samples = sampled((ms) => ms / 100, 20_000);
  const pace = paceOf(samples, { atMs: 20_000, done: 200 }, 300);
  expect(pace.rate).toBeCloseTo(10, 0);
  expect(pace.remainingMs).toBeCloseTo(10_000, -3);
});

test("the rate is unknown at first, and if no item ends", () => {
  const unknown = { rate: undefined, remainingMs: undefined };
  expect(paceOf([], { atMs: 0, done: 0 }, 10)).toEqual(unknown);
  expect(
    paceOf(
      sampled((ms) => ms, 500),
      { atMs: 500, done: 500 },
      1000,
    ),
  ).toEqual(unknown);
  expect(
    paceOf(
      sampled(() => 0, 5_000),
      { atMs: 5_000, done: 0 },
      10,
    ),
  ).toEqual(unknown);
});

test("the rate is that of the last 30 seconds", () => {
  const samples = sampled((ms) => (ms < 60_000 ? ms / 10 : 6_000 + (ms - 60_000) / 1000), 120_000);
  const { rate = 0 } = paceOf(samples, { atMs: 120_000, done: 6_060 }, undefined);
  expect(rate).toBeCloseTo(1, 1);
});

test("a long run keeps few samples", () => {
  expect(sampled((ms) => ms, 600_000).length).toBeLessThan(150);
});

test.each([
  [1234.4, "1234/s"],
  [12.3, "12/s"],
  [3.25, "3.3/s"],
  [0.5, "30/min"],
  [0.01, "36.0/h"],
])("%d a second is %s", (rate, expected) => {
  expect(formatRate(rate)).toBe(expected);
});

test.each([
  [0, "0.0s"],
  [420, "0.4s"],
  [9_960, "10s"],
  [65_000, "1m05s"],
  [7_620_000, "2h07m"],
  [300_000_000, "3d11h"],
])("%d ms are %s", (ms, expected) => {
  expect(formatTime(ms)).toBe(expected);
});

test("long numbers are grouped", () => {
  expect([999, 1_000, 1_234_567].map(formatCount)).toEqual(["999", "1,000", "1,234,567"]);
});
