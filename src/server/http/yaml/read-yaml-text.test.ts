import { expect, test } from "vitest";
import { parseYaml, yamlFromJson } from "../../../api/schema/yaml-text.ts";
import { readYamlText } from "./read-yaml-text.ts";

const TEXTS: readonly string[] = [
  "a: 1\nb: [x, 'y', \"z\"]\nc: {d: null, e: ~}\n",
  "a: 1\na: 2\nb:\n  c: 1\n  c: 2\n",
  "a: 9007199254740993\nb: 1.5\nc: 1e3\n",
  "base: &b {x: 1}\nuse: *b\nmerged:\n  <<: *b\n  y: 2\n",
  "__proto__: 1\nconstructor: {__proto__: 2}\n",
  "text: |\n  one\n  two\nyes: no\n012: 0x1f\n",
  "",
];

test.each(TEXTS)("the result of the thread is the same as that of parseYaml: %j", (text) => {
  const outcome = readYamlText(text, 1000);
  if (!("json" in outcome)) throw new Error(JSON.stringify(outcome));
  const { json, repeatedKeys, isExact } = outcome;
  expect(yamlFromJson(json, repeatedKeys, isExact)).toEqual(parseYaml(text));
});

test("a syntax error has the same message as that of parseYaml", () => {
  expect(readYamlText("a: b: c", 1000)).toEqual({
    problem: "yaml: mapping values are not allowed in this context",
  });
});

test.each([
  ["a list", "- 1\n".repeat(300)],
  ["a map", Array.from({ length: 300 }, (_, at) => `k${at}: v`).join("\n")],
  ["brackets", `[${"[],".repeat(300)}]`],
  ["aliases", `a: &a [${"1,".repeat(50)}]\nb: [${"*a,".repeat(50)}]`],
])("a text with too many values is rejected: %s", (_, text) => {
  expect(readYamlText(text, 100)).toEqual({ isTooLarge: true });
  expect(readYamlText(text, 10_000)).toHaveProperty("json");
});

test("a long string is one value", () => {
  const lines = "- a, [b], {c: 'd'}\n  ".repeat(500);
  expect(readYamlText(`a: |\n  ${lines}`, 10)).toHaveProperty("json");
});
