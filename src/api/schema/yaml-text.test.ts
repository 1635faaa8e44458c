import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "./json-text.ts";
import { NumberLiteral } from "./parsed-json.ts";
import { formatYaml, parseYaml } from "./yaml-text.ts";

test.each([
  ["y", true],
  ["Off", false],
  ["~", null],
  ["", null],
  ["0777", 511],
  ["0o17", 15],
  ["0x1F", 31],
  ["1_000", 1000],
  ["08", 8],
  ["2.0", 2],
  ["1e3", 1000],
  [".5", 0.5],
  ["1:20", "1:20"],
  ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"],
  ["'y'", "y"],
  ["!!str 5", "5"],
  ['!!int "5"', 5],
  ["!!binary YQ==", "a"],
  ["!local 5", "5"],
])("the scalar %s means %j", (text, meaning) => {
  expect(parseYaml(`a: ${text}`).value).toEqual({ a: meaning });
});

test("an integer beyond 2^53 keeps its digits", () => {
  expect(parseYaml("a: 12345678901234567890").exact).toEqual({
    a: new NumberLiteral("12345678901234567890"),
  });
});

test.each([
  ["a: b: c", "mapping values are not allowed in this context"],
  ["a: 1\n b: 2", "line 2: mapping values are not allowed in this context"],
  ["a: [1, 2", "did not find expected ',' or ']'"],
  ["{a: 1", "did not find expected ',' or '}'"],
  ['a: "x\nb: 1', "line 2: found unexpected end of stream"],
  ["a:\n\tb: 1", "line 2: found character that cannot start any token"],
  ["- a\nb: 1", "line 1: did not find expected '-' indicator"],
  ["a: 1\n- b", "line 1: did not find expected key"],
  ["a: 1\nb\n", "line 3: could not find expected ':'"],
  ["a: *x", "unknown anchor 'x' referenced"],
  ["a: &x [*x]", "anchor 'x' value contains itself"],
  ["a: !!int x", "cannot decode !!str `x` as a !!int"],
])("%j is rejected with the message of Go's library", (text, problem) => {
  expect(() => parseYaml(text)).toThrow(`yaml: ${problem}`);
});

test("repeated keys are reported with the line of their value", () => {
  const { value, repeatedKeys, strict } = parseYaml("a:\n  b: 1\n  b: 2\na: 3\n");
  expect(value).toEqual({ a: 3 });
  expect(repeatedKeys).toEqual([
    'line 3: key "b" already set in map',
    'line 4: key "a" already set in map',
  ]);
  expect(strict).toEqual([`yaml: unmarshal errors:\n  ${repeatedKeys.join("\n  ")}`]);
});

test("aliases and merge keys are expanded", () => {
  const text = "base: &b {v: 1, w: 2}\ncopy: *b\nmerged: {<<: *b, w: 3}\n";
  expect(parseYaml(text).value).toEqual({
    base: { v: 1, w: 2 },
    copy: { v: 1, w: 2 },
    merged: { v: 1, w: 3 },
  });
});

test("excessive alias expansion is rejected", () => {
  const levels = Array.from({ length: 9 }, (_, level) =>
    level === 0
      ? "l0: &l0 [x, x, x, x, x, x, x, x, x, x]"
      : `l${level}: &l${level} [${Array(10)
          .fill(`*l${level - 1}`)
          .join(", ")}]`,
  );
  expect(() => parseYaml(levels.join("\n"))).toThrow("document contains excessive aliasing");
});

test("only the first document is parsed", () => {
  expect(parseYaml("a: 1\n---\nb: 2\n").value).toEqual({ a: 1 });
});

test("an object is printed with sorted keys, and sequences stay under their key", () => {
  const object = {
    kind: "Job",
    apiVersion: "batch/v1",
    spec: { list: ["x", ["y", 1], { b: [], a: {} }], "key: odd": null, k10: 1, k9: 2 },
  };
  expect(formatYaml(object)).toBe(`apiVersion: batch/v1
kind: Job
spec:
  k9: 2
  k10: 1
  'key: odd': null
  list:
  - x
  - - "y"
    - 1
  - a: {}
    b: []
`);
});

test.each([
  ["", '""'],
  ["yes", '"yes"'],
  ["12", '"12"'],
  ["0x1F", '"0x1F"'],
  ["1:20", '"1:20"'],
  ["2024-01-01T00:00:00Z", '"2024-01-01T00:00:00Z"'],
  ["busybox:1.36", "busybox:1.36"],
  ["a: b", "'a: b'"],
  ["it's", "it's"],
  ["'q'", "'''q'''"],
  ["- a", "'- a'"],
  ["x ", "'x '"],
  ["a\tb", '"a\\tb"'],
  ["\u{1f600}", '"\\U0001F600"'],
  ["é", "é"],
  ["x\ny\n", "|\n  x\n  y"],
  ["x\n\ny", "|-\n  x\n\n  y"],
  [" x\ny\n\n", "|2+\n   x\n  y\n"],
])("the string %j is printed as %s", (text, printed) => {
  expect(formatYaml({ a: text })).toBe(`a: ${printed}\n`);
});

test("long strings are folded after the eightieth column", () => {
  const message =
    "only the following media types are accepted: application/json;stream=watch, " +
    "application/vnd.kubernetes.protobuf;stream=watch";
  expect(formatYaml({ message })).toBe(
    "message: 'only the following media types are accepted: application/json;stream=watch,\n" +
      "  application/vnd.kubernetes.protobuf;stream=watch'\n",
  );
});

test("printed YAML is read back", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.stringMatching(/^[a-z '":#\n-]{0,120}$/),
  );
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(text, tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(tree, (value) => {
      const printed = formatYaml({ value });
      expect(parseYaml(printed).value).toEqual(parseJson(JSON.stringify({ value })).value);
    }),
  );
});
