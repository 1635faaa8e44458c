import { expect, test } from "vitest";
import { splitDocuments } from "./split-documents.ts";

test.each([
  ["a: 1\n---\nb: 2\n", ["a: 1\n", "\nb: 2\n"]],
  ["---\na: 1\n---\n---\n# nothing\n", ["\na: 1\n"]],
  ["a: |\n  --- text\n--- # next\nb: 2", ["a: |\n  --- text\n", "\nb: 2"]],
  ['{"a":"}{"}\n{"b":{}}', ['{"a":"}{"}', '\n{"b":{}}']],
  ["", []],
])("%j has its documents", (text, documents) => {
  expect(splitDocuments(text)).toEqual(documents);
});
