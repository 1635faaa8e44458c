import { expect, test } from "vitest";
import { isTooDeep, MAX_YAML_DEPTH } from "./yaml-depth.ts";
import { parseYaml } from "./yaml-text.ts";

const MANY = MAX_YAML_DEPTH + 1;

const steps = (count: number, line: string) =>
  Array.from({ length: count }, (_, depth) => `${" ".repeat(depth)}${line}`).join("\n");

test.each([
  ["elements on one line", "- ".repeat(MANY)],
  ["keys on one line", "? ".repeat(MANY)],
  ["brackets", "[".repeat(MANY)],
  ["braces that are closed", "{a: ".repeat(MANY) + "}".repeat(MANY)],
  ["keys on a line each", steps(MANY, "a:")],
  ["elements on a line each", steps(MANY, "-")],
  ["a hundred thousand elements", "- ".repeat(100_000)],
])("%s beyond the limit are rejected", (_, text) => {
  expect(isTooDeep(text)).toBe(true);
  expect(() => parseYaml(text)).toThrow("exceeded max depth");
});

test.each([
  ["brackets in a text", `a: "${"[".repeat(MANY)}"`],
  ["brackets in a text of several lines", `a: |\n  ${"{ [ ".repeat(MANY)}\n`],
  ["a long list", "- a\n".repeat(MANY)],
  ["a line that is far to the right", `a: |\n  x\n${" ".repeat(MANY * 2)}y\n`],
  ["brackets side by side", `[${"[],".repeat(MANY)}]`],
])("%s are not nested", (_, text) => {
  expect(isTooDeep(text)).toBe(false);
  expect(() => parseYaml(text)).not.toThrow();
});

test("a text within the limit is parsed", () => {
  for (const text of [
    "- ".repeat(MAX_YAML_DEPTH - 1),
    "[".repeat(MAX_YAML_DEPTH) + "]".repeat(MAX_YAML_DEPTH),
    `${steps(MAX_YAML_DEPTH - 1, "a:")}\nb: c`,
  ]) {
    expect(() => parseYaml(text)).not.toThrow();
  }
});
