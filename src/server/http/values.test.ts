import { expect, test } from "vitest";
import { hasMoreValues, mostValuesAt } from "./values.ts";

const TEXTS: readonly (readonly [string, string, number])[] = [
  ["one value", "1", 1],
  ["an object", '{"a":1,"b":2}', 3],
  ["a list", "[1,2,3]", 4],
  ["nested", '{"a":[{},{}]}', 6],
  ["commas and brackets in texts", '{"a,[{":",,,","b":"[[["}', 3],
  ["quotes in texts", '["\\",,,","\\\\",1]', 4],
  ["a text without an end", '["a,,,,', 2],
];

test.each(TEXTS)("the values of a JSON text are counted: %s", (_, text, count) => {
  const bytes = Buffer.from(text);
  expect([hasMoreValues(bytes, count - 1), hasMoreValues(bytes, count)]).toEqual([true, false]);
});

test.each([
  ["/api/v1/namespaces/a/pods", 20_000],
  ["/apis/batch/v1/namespaces/a/jobs", 20_000],
  ["/apis/rbac.authorization.k8s.io/v1/clusterroles", 20_000],
  ["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", 50_000],
  ["/apis/example.com/v1/namespaces/a/things", 50_000],
  ["/apis/tallyjob.io/v1/namespaces/a/workflows", 100_000],
  ["/nothing", 20_000],
])("a body for %s has at most %d values", (path, most) => {
  expect(mostValuesAt(path)).toBe(most);
});
