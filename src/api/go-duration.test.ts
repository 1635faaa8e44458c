import { expect, test } from "vitest";
import { parseGoDuration } from "./go-duration.ts";

test.each([
  ["0", 0n],
  ["-0", 0n],
  ["5s", 5_000_000_000n],
  ["1h15m30.5s", 4_530_500_000_000n],
  ["-1.5h", -5_400_000_000_000n],
  ["+3ms", 3_000_000n],
  ["1us", 1_000n],
  ["1µs", 1_000n],
  ["1μs", 1_000n],
  [".5m", 30_000_000_000n],
  ["1.m", 60_000_000_000n],
  ["0.000000000000000000001h", 0n],
  ["0.3333333333333333333h", 1_200_000_000_000n],
  ["0.100000000000000000000h", 360_000_000_000n],
  ["0.830103483285477580700h", 2_988_372_539_827n],
  ["00000000000000000000000001ns", 1n],
  ["9223372036854775807ns", 9_223_372_036_854_775_807n],
  ["9223372036854775.807us", 9_223_372_036_854_775_807n],
  ["-9223372036854775808ns", -9_223_372_036_854_775_808n],
  ["2562047h47m16.854775807s", 9_223_372_036_854_775_807n],
  ["1h".repeat(100_000), 360_000_000_000_000_000n],
])("%j is %d nanoseconds", (text, nanoseconds) => {
  expect(parseGoDuration(text)).toEqual({ nanoseconds });
});

test.each([
  ["", "invalid duration"],
  ["-", "invalid duration"],
  [".", "invalid duration"],
  [".s", "invalid duration"],
  ["1h.", "invalid duration"],
  ["h", "invalid duration"],
  ["5", "missing unit in duration"],
  ["1h5", "missing unit in duration"],
  ["5hours", 'unknown unit "hours" in duration'],
  ["5 s", 'unknown unit " s" in duration'],
  ["9223372036854775808ns", "invalid duration"],
  ["99999999999999999999", "invalid duration"],
  ["3000000h", "invalid duration"],
  ["2000000h2000000h", "invalid duration"],
])("%j is refused: %s", (text, problem) => {
  expect(parseGoDuration(text)).toEqual({ problem: `time: ${problem} "${text}"` });
});
