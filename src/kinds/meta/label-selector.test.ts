import fc from "fast-check";
import { expect, test } from "vitest";
import { formatFinding } from "../../api/finding.ts";
import { matchesLabelSelector, validateLabelSelector } from "./label-selector.ts";
import { ANNOTATIONS_MAX_BYTES, validateAnnotations } from "./labels.ts";

const labels = { app: "web", tier: "front" };

test.each([
  ["In", "app", ["web", "api"], true],
  ["In", "app", ["api"], false],
  ["In", "zone", ["a"], false],
  ["NotIn", "app", ["api"], true],
  ["NotIn", "app", ["web"], false],
  ["NotIn", "zone", ["a"], true],
  ["Exists", "app", undefined, true],
  ["Exists", "constructor", undefined, false],
  ["DoesNotExist", "zone", undefined, true],
  ["DoesNotExist", "app", undefined, false],
  ["Near", "app", ["web"], false],
])("%s %s %j is %s", (operator, key, values, expected) => {
  const expression = { key, operator, ...(values ? { values } : {}) };
  expect(matchesLabelSelector({ matchExpressions: [expression] }, labels)).toBe(expected);
});

test("no selector selects nothing, an empty one everything", () => {
  expect(matchesLabelSelector(undefined, labels)).toBe(false);
  expect(matchesLabelSelector({}, undefined)).toBe(true);
});

test("an object is selected by its own labels, and NotIn is the opposite of In", () => {
  const word = fc.stringMatching(/^[a-z]{1,3}$/);
  fc.assert(
    fc.property(
      fc.dictionary(word, word),
      word,
      fc.array(word, { minLength: 1 }),
      (own, key, values) => {
        expect(matchesLabelSelector({ matchLabels: own }, own)).toBe(true);
        const selects = (operator: string) =>
          matchesLabelSelector({ matchExpressions: [{ key, operator, values }] }, own);
        expect(selects("NotIn")).toBe(!selects("In"));
      },
    ),
  );
});

test.each([
  [
    { key: "a", operator: "In" },
    [
      "s.matchExpressions[0].values: Required value: " +
        "must be specified when `operator` is 'In' or 'NotIn'",
    ],
  ],
  [
    { key: "a", operator: "Exists", values: ["x"] },
    [
      "s.matchExpressions[0].values: Forbidden: " +
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ],
  [
    { key: "a", operator: "Near" },
    ['s.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'],
  ],
])("%j is rejected", (expression, expected) => {
  const found = validateLabelSelector({ matchExpressions: [expression] }, "s");
  expect(found.map(formatFinding)).toEqual(expected);
});

test("annotations are counted in bytes, keys included", () => {
  const fits = { k: "ä".repeat((ANNOTATIONS_MAX_BYTES - 2) / 2) };
  expect(validateAnnotations(fits, "a")).toEqual([]);
  expect(validateAnnotations({ ...fits, kk: "" }, "a").map(formatFinding)).toEqual([
    "a: Too long: may not be more than 262144 bytes",
  ]);
});
