import fc from "fast-check";
import { expect, test } from "vitest";
import { type Bucket, fullBucket, type RateLimit, takeTurn } from "./rate-limit.ts";

/** The times at which requests that arrive at these times are sent. */
function goOut(limit: RateLimit, comingMs: readonly number[]): number[] {
  let bucket: Bucket = fullBucket(limit, 0);
  return comingMs.map((nowMs) => {
    const turn = takeTurn(limit, bucket, nowMs);
    bucket = turn.bucket;
    return nowMs + turn.delayMs;
  });
}

test.each([
  ["a burst is sent at once, the rest at the rate", [0, 0, 0, 0], [0, 0, 100, 200]],
  [
    "after a quiet time one more burst is allowed",
    [0, 0, 9000, 9000, 9000],
    [0, 0, 9000, 9000, 9100],
  ],
  ["a later request waits for earlier ones", [0, 0, 0, 50], [0, 0, 100, 200]],
  ["requests within the rate never wait", [0, 100, 200, 300], [0, 100, 200, 300]],
])("%s", (_name, comingMs, expected) => {
  expect(goOut({ qps: 10, burst: 2 }, comingMs)).toEqual(expected);
});

test("requests never exceed burst plus rate, and stay in order", () => {
  const gaps = fc.array(fc.nat(300), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(
      gaps,
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 9 }),
      (each, qps, burst) => {
        let nowMs = 0;
        const comingMs = each.map((gapMs) => (nowMs += gapMs));
        const outMs = goOut({ qps, burst }, comingMs);
        for (const [at, ms] of outMs.entries()) {
          expect(ms).toBeGreaterThanOrEqual(Math.max(comingMs[at] ?? 0, outMs[at - 1] ?? 0));
          const earliestMs = outMs[at - burst];
          if (earliestMs !== undefined)
            expect(ms - earliestMs).toBeGreaterThanOrEqual(1000 / qps - 1e-6);
        }
      },
    ),
  );
});
