import { expect, test } from "vitest";
import { nearWords, suggestion } from "./near-words.ts";

const FILES = ["apple.txt", "banana.txt", "cherry pie.txt", "b.txt", "Banana.md"];

test.each<[string, readonly string[]]>([
  ["banan.txt", ["banana.txt"]],
  ["BANANA.TXT", ["banana.txt"]],
  ["cherry", ["cherry pie.txt"]],
  ["apple", ["apple.txt"]],
  ["banana", ["Banana.md", "banana.txt"]],
  ["zebra", []],
])("who says %j may mean %j", (meant, near) => {
  expect(nearWords(meant, FILES)).toEqual(near);
});

test("at most three suggestions are made, each once", () => {
  const words = ["a1", "a1", "a2", "a3", "a4"];
  expect(nearWords("a0", words)).toEqual(["a1", "a2", "a3"]);
});

test.each<[string, string]>([
  ["apple", " (did you mean apple.txt?)"],
  ["banana", " (did you mean Banana.md or banana.txt?)"],
  ["zebra", ""],
])("%j is answered with %j", (meant, text) => {
  expect(suggestion(meant, FILES)).toBe(text);
});
