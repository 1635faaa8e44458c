import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

test("a word is quoted for a shell only if it has to be", () => {
  expect(["/a/b-c.d", "two words", "it's"].map(shellWord)).toEqual([
    "/a/b-c.d",
    "'two words'",
    "'it'\\''s'",
  ]);
});
