import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { findEquality, matchesLabels, parseLabelSelector } from "./label-selector-query.ts";

test.each([
  ["", []],
  ["  ", []],
  ["x=1", [{ key: "x", operator: "=", values: ["1"] }]],
  [" x == 1 ", [{ key: "x", operator: "==", values: ["1"] }]],
  ["x!=1", [{ key: "x", operator: "!=", values: ["1"] }]],
  ["x=", [{ key: "x", operator: "=", values: [""] }]],
  ["x in (b,a,b)", [{ key: "x", operator: "in", values: ["a", "b"] }]],
  ["x in ()", [{ key: "x", operator: "in", values: [""] }]],
  ["x in (,a)", [{ key: "x", operator: "in", values: ["", "a"] }]],
  ["x in (a,)", [{ key: "x", operator: "in", values: ["", "a"] }]],
  ["x in (a,,b)", [{ key: "x", operator: "in", values: ["", "a", "b"] }]],
  ["x notin (a)", [{ key: "x", operator: "notin", values: ["a"] }]],
  ["x", [{ key: "x", operator: "exists", values: [] }]],
  ["!x", [{ key: "x", operator: "!", values: [] }]],
  ["x>5", [{ key: "x", operator: "gt", values: ["5"] }]],
  ["x<5", [{ key: "x", operator: "lt", values: ["5"] }]],
  ["in in (in,notin)", [{ key: "in", operator: "in", values: ["in", "notin"] }]],
  ["x=notin", [{ key: "x", operator: "=", values: ["notin"] }]],
  [
    "x,!y,example.com/z=1",
    [
      { key: "x", operator: "exists", values: [] },
      { key: "y", operator: "!", values: [] },
      { key: "example.com/z", operator: "=", values: ["1"] },
    ],
  ],
])("the selector %j is parsed", (text, requirements) => {
  expect(parseLabelSelector(text)).toEqual(requirements);
});

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
  "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'" +
  ", and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or " +
  "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const KEY_RULE =
  `a valid label key ${NAME_RULE} with an optional DNS subdomain prefix and '/' ` +
  "(e.g. 'example.com/MyName')";
const OPERATORS = "in, notin, =, ==, !=, gt, lt";
const INTEGER_RULE = "for 'Gt', 'Lt' operators, the value must be an integer";

test.each([
  ["x~1", `unable to parse requirement: <nil>: Invalid value: "x~1": name part ${NAME_RULE}`],
  ["a/b/c=1", `unable to parse requirement: <nil>: Invalid value: "a/b/c": ${KEY_RULE}`],
  ["x=a b", "found 'b', expected: ',' or 'end of string'"],
  ["x=1,", "found '', expected: identifier after ','"],
  [",x=1", "found ',', expected: !, identifier, or 'end of string'"],
  ["=1", "found '=', expected: !, identifier, or 'end of string'"],
  ["!", "unable to parse requirement: found '', expected: identifier"],
  ["!x=1", "found '=', expected: ',' or 'end of string'"],
  ["x y", `unable to parse requirement: found 'y', expected: ${OPERATORS}`],
  ["x!", `unable to parse requirement: found '!', expected: ${OPERATORS}`],
  ["x in a", "unable to parse requirement: found 'a' expected: '('"],
  ["x in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ["x in (a", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["x in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"],
  ["x in (a,", "unable to parse requirement: found '', expected: ',', or identifier"],
  ["x=(", "unable to parse requirement: found '(', expected: identifier"],
  ["x>a", `unable to parse requirement: values[0]: Invalid value: "a": ${INTEGER_RULE}`],
  ["x>-5", `unable to parse requirement: values[0][x]: Invalid value: "-5": ${VALUE_RULE}`],
  [
    "x>a_",
    `unable to parse requirement: [values[0]: Invalid value: "a_": ${INTEGER_RULE}, ` +
      `values[0][x]: Invalid value: "a_": ${VALUE_RULE}]`,
  ],
  ["x=a:b", `unable to parse requirement: values[0][x]: Invalid value: "a:b": ${VALUE_RULE}`],
])("the selector %j is rejected", (text, message) => {
  expect(refusal(text)).toMatchObject({ code: 400, reason: "BadRequest", message });
});

test.each([
  ["x=1", { x: "1" }, true],
  ["x=1", { x: "2" }, false],
  ["x=1", {}, false],
  ["x=", {}, false],
  ["x!=1", {}, true],
  ["x!=1", { x: "1" }, false],
  ["x in (1,2)", { x: "2" }, true],
  ["x notin (1)", {}, true],
  ["x notin (1)", { x: "1" }, false],
  ["x", { x: "" }, true],
  ["!x", { x: "" }, false],
  ["!x", {}, true],
  ["constructor", {}, false],
  ["x>5", { x: "6" }, true],
  ["x>5", { x: "5" }, false],
  ["x<5", { x: "4" }, true],
  ["x<5", { x: "a" }, false],
  ["x>9223372036854775806", { x: "9223372036854775807" }, true],
  ["x<5", {}, false],
  ["x=1,y=2", { x: "1" }, false],
])("%j over %j is %s", (text, labels, matches) => {
  expect(matchesLabels(parseLabelSelector(text), labels)).toBe(matches);
});

test("absent labels are matched like empty labels", () => {
  expect(matchesLabels(parseLabelSelector("!x"), undefined)).toBe(true);
});

test("findEquality returns the value for an index, in every notation", () => {
  for (const text of ["y,x=1", "x==1", "x in (1)"]) {
    expect(findEquality(parseLabelSelector(text), "x")).toBe("1");
  }
  for (const text of ["x!=1", "x in (1,2)", "x", "y=1", "x notin (1)", ""]) {
    expect(findEquality(parseLabelSelector(text), "x")).toBeUndefined();
  }
});

const word = fc.stringMatching(/^[a-z0-9]([a-z0-9_.-]{0,8}[a-z0-9])?$/);

test("a selector written from the labels of an object matches it", () => {
  fc.assert(
    fc.property(fc.dictionary(word, word), (labels) => {
      const text = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
      expect(matchesLabels(parseLabelSelector(text.join(",")), labels)).toBe(true);
    }),
  );
});

test("in and notin are opposites", () => {
  fc.assert(
    fc.property(
      word,
      fc.array(word, { minLength: 1 }),
      fc.dictionary(word, word),
      (key, values, labels) => {
        const list = `(${values.join(",")})`;
        const inside = matchesLabels(parseLabelSelector(`${key} in ${list}`), labels);
        expect(matchesLabels(parseLabelSelector(`${key} notin ${list}`), labels)).toBe(!inside);
      },
    ),
  );
});

function refusal(text: string): ApiError {
  try {
    parseLabelSelector(text);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${text} was read`);
}

test("a selector has at most 500 requirements", () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `!k${at}`).join(",");
  expect(parseLabelSelector(many(500))).toHaveLength(500);
  const message = "the label selector has more than 500 requirements";
  expect(refusal(many(501))).toMatchObject({ code: 400, message });
});

test("each of many values is found", () => {
  const values = Array.from({ length: 300 }, (_, at) => `v${at}`);
  const requirements = parseLabelSelector(`x in (${values.join(",")})`);
  for (const x of values) expect(matchesLabels(requirements, { x })).toBe(true);
  for (const x of ["", "v", "v300", "w"]) expect(matchesLabels(requirements, { x })).toBe(false);
});
