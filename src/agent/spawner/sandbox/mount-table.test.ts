import { expect, test } from "vitest";
import { bind, formatTable } from "./mount-table.ts";

test("an entry is a line of fstab", () => {
  expect(formatTable([bind("/a", "/b"), bind("/c", "/d", "bind,ro")])).toBe(
    "/a /b none bind 0 0\n/c /d none bind,ro 0 0\n",
  );
});

test.each([
  ["a blank", "/a b", "/a\\040b"],
  ["a line break", "/a\nb", "/a\\012b"],
  ["a backslash", "/a\\b", "/a\\134b"],
  ["the sign of a comment", "#a", "\\043a"],
])("%s in a path does not end it", (_, path, written) => {
  expect(formatTable([bind(path, "/t")])).toBe(`${written} /t none bind 0 0\n`);
});
