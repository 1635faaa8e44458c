import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "./json-text.ts";
import { NumberLiteral, RepeatedKeys } from "./parsed-json.ts";

test.each([
  ["", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ['{"a"', "unexpected end of JSON input"],
  ["nul", "unexpected end of JSON input"],
  ["{}{}", "invalid character '{' after top-level value"],
  ["x", "invalid character 'x' looking for beginning of value"],
  ["[1,]", "invalid character ']' looking for beginning of value"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["trux", "invalid character 'x' in literal true (expecting 'e')"],
  ["-x", "invalid character 'x' in numeric literal"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1ex", "invalid character 'x' in exponent of numeric literal"],
  ["01", "invalid character '1' after top-level value"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ['"\\q"', "invalid character 'q' in string escape code"],
  ['"\\u12g"', "invalid character 'g' in \\u hexadecimal character escape"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
  ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
  ["[".repeat(10_001), "invalid character '[' exceeded max depth"],
])("%.30j is rejected with Go's message", (text, message) => {
  expect(() => parseJson(text)).toThrow(message);
});

test("an ordinary text needs no exact tree", () => {
  const text = '{"a":[1,-20,true,null,"x:\\"y\\\\",{"b":{}}],"1e5":"2.0","n":123456789012345}';
  expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
});

test.each(["2.0", "1e3", "9007199254740993", "-0", "0.5"])("the literal %s is kept", (literal) => {
  expect(parseJson(`[${literal}]`).exact).toEqual([new NumberLiteral(literal)]);
});

test("a repeated key keeps all its values, and the last one counts", () => {
  const { value, exact } = parseJson('{"a":1,"b":{"c":1,"\\u0063":2},"a":3}');
  expect(value).toEqual({ a: 3, b: { c: 2 } });
  const inner = new RepeatedKeys([
    ["c", 1],
    ["c", 2],
  ]);
  const entries: [string, number | RepeatedKeys][] = [
    ["a", 1],
    ["b", inner],
    ["a", 3],
  ];
  expect(exact).toEqual(new RepeatedKeys(entries));
});

test("the key __proto__ is data", () => {
  const { value } = parseJson('{"__proto__":{"polluted":1.0}}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":1}}');
});

test("half of a surrogate pair becomes the replacement character", () => {
  expect(parseJson('"\\ud83d\\ude00 \\ud800x"').value).toBe("\u{1f600} \ufffdx");
});

test("a thousand levels are read", () => {
  const depth = 1_000;
  expect(() => parseJson("[".repeat(depth) + "]".repeat(depth))).not.toThrow();
});

test("everything that JSON.stringify writes is read back", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(parseJson(text).value)).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});
