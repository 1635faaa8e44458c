import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  getQuantity,
  isInteger,
  isZero,
  milliUnits,
  parseQuantity,
  roundedUpToMilli,
  roundUpToMilli,
  storedQuantity,
  subtractQuantities,
  wholeUnits,
} from "./quantity.ts";

test.each([
  ["01", "01"],
  ["+1", "+1"],
  ["5.", "5."],
  ["1E3", "1E3"],
  ["1.500", "1.500"],
  ["1Ki", "1Ki"],
  ["00", "0"],
  ["1.0", "1"],
  ["1000", "1k"],
  ["8Ki", "8Ki"],
  ["1024Ki", "1Mi"],
  ["1E4", "10e3"],
  ["1500u", "1500u"],
  ["1234567890123456789", "1234567890123456789"],
])("%s is stored as %s", (text, stored) => {
  expect(storedQuantity(text)).toBe(stored);
});

test.each([
  ["1500u", "2m"],
  ["1.500", "1.500"],
  ["01", "01"],
])("%s is defaulted to %s", (text, rounded) => {
  expect(roundedUpToMilli(text)).toBe(rounded);
});

test.each([
  ["0", "0"],
  ["0.5", "500m"],
  ["1024Mi", "1Gi"],
  ["1000Mi", "1000Mi"],
  ["0.5Gi", "512Mi"],
  ["1023", "1023"],
  ["1000", "1k"],
  ["1e3", "1e3"],
  ["1E4", "10e3"],
  ["5e0", "5"],
  ["100m", "100m"],
  ["1500m", "1500m"],
  ["0.0001", "100u"],
  ["1.0000000001", "1000000001n"],
  ["-1.5", "-1500m"],
  ["+7", "7"],
  [".5", "500m"],
  ["1.G", "1G"],
  ["0.1Ki", "102400m"],
  ["0.0001Ki", "102400u"],
  ["16Ei", "9223372036854775807"],
  ["-0", "0"],
])("%s is canonically %s", (text, canonical) => {
  expect(formatQuantity(getQuantity(text))).toBe(canonical);
});

const FORMAT = "quantities must match the regular expression";

test.each([
  ["", FORMAT],
  ["lots", FORMAT],
  ["1.2.3", FORMAT],
  ["1Zi", FORMAT],
  ["1 Gi", FORMAT],
  ["1kk", "unable to parse quantity's suffix"],
  ["1e", "unable to parse quantity's suffix"],
  ["1e99999999999", "unable to parse quantity's suffix"],
])("%j is refused", (text, problem) => {
  expect(parseQuantity(text)).toEqual({ problem: expect.stringContaining(problem) });
});

const quantity = fc.record({
  nanos: fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
  format: fc.constantFrom("DecimalSI" as const, "DecimalExponent" as const),
});

test("the canonical text of a quantity is that quantity", () => {
  fc.assert(
    fc.property(quantity, (value) => {
      expect(getQuantity(formatQuantity(value)).nanos).toBe(value.nanos);
    }),
  );
});

test("canonical texts are fixed points", () => {
  const suffix = fc.constantFrom("", "n", "u", "m", "k", "M", "E", "Ki", "Gi", "Ei", "e3", "e-2");
  fc.assert(
    fc.property(fc.integer(), fc.nat(999999), suffix, (whole, fraction, unit) => {
      const canonical = formatQuantity(getQuantity(`${whole}.${fraction}${unit}`));
      expect(formatQuantity(getQuantity(canonical))).toBe(canonical);
    }),
  );
});

test("subtraction undoes addition", () => {
  fc.assert(
    fc.property(quantity, quantity, (left, right) => {
      const back = subtractQuantities(addQuantities(left, right), right);
      expect(compareQuantities(back, left)).toBe(0);
    }),
  );
});

test("a sum has the format of its left side, unless that is zero", () => {
  const sum = (left: string, right: string) =>
    formatQuantity(addQuantities(getQuantity(left), getQuantity(right)));
  expect(sum("1Gi", "1G")).toBe("2073741824");
  expect(sum("0", "1Gi")).toBe("1Gi");
  expect(sum("500m", "500m")).toBe("1");
});

test("fractions round away from zero", () => {
  expect(formatQuantity(roundUpToMilli(getQuantity("0.0001")))).toBe("1m");
  expect(wholeUnits(getQuantity("1.5"))).toBe(2n);
  expect(wholeUnits(getQuantity("-1.5"))).toBe(-2n);
  expect(milliUnits(getQuantity("1.0005"))).toBe(1001n);
});

test("integers and zero are recognised", () => {
  expect(isInteger(getQuantity("2000m"))).toBe(true);
  expect(isInteger(getQuantity("1500m"))).toBe(false);
  expect(isZero(getQuantity("0Ki"))).toBe(true);
});
