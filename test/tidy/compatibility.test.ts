/** docs/compatibility.md names a test for each row. These tests check that it exists. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source.ts";

const PAGE = readFileSync(join(ROOT, "docs/compatibility.md"), "utf8");

/** The rows of all tables, without the headings and the lines of dashes below them. */
const ROWS = PAGE.split("\n").filter((line, at, lines) => {
  return line.startsWith("| ") && !lines[at + 1]?.startsWith("|---");
});

interface Proof {
  readonly path: string;
  readonly name: string;
}

function proofOf(row: string): Proof | undefined {
  const [, path, name] = /`([^` ]+\.test\.ts)` › `([^`]+)` \|$/.exec(row) ?? [];
  return path === undefined || name === undefined ? undefined : { path, name };
}

/**
 * The name must occur as a string in the file: as the name of a test, or of a case in its table.
 */
function hasTest({ path, name }: Proof): boolean {
  const file = join(ROOT, path);
  if (!existsSync(file)) return false;
  const text = readFileSync(file, "utf8");
  return ['"', "'", "`"].some((quote) => text.includes(`${quote}${name}${quote}`));
}

test("docs/compatibility.md has rows", () => {
  expect(ROWS.length).toBeGreaterThan(50);
});

test("every row of docs/compatibility.md names its test", () => {
  expect(ROWS.filter((row) => proofOf(row) === undefined)).toEqual([]);
});

test("every test that docs/compatibility.md names exists", () => {
  const proofs = ROWS.map(proofOf).filter((proof) => proof !== undefined);
  expect(proofs.filter((proof) => !hasTest(proof))).toEqual([]);
});
