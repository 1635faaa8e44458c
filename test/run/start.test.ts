import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");
let checkout: string;

/** The example writes beside itself: a copy of it may. */
beforeEach(() => {
  checkout = mkdtempSync(path.join(tmpdir(), "tally-start-"));
  cpSync(path.join(ROOT, "examples/start"), path.join(checkout, "examples/start"), {
    recursive: true,
    filter: (file) => !file.endsWith(".tally"),
  });
  symlinkSync(path.join(ROOT, "dist"), path.join(checkout, "dist"));
});
afterEach(() => rmSync(checkout, { recursive: true, force: true, maxRetries: 5 }));

test("the first thing a new user sees runs, fails where it says, and tells what to do", () => {
  const script = path.join(checkout, "examples/start/run.sh");
  const { status, stdout, stderr } = spawnSync("sh", [script], { encoding: "utf8" });
  expect(status).toBe(0);
  const weighed = stdout.split("\n").filter((line) => line.includes(" weighs "));
  expect(weighed.sort()).toEqual([
    "apple weighs 85 g",
    "cherry weighs 102 g",
    "date weighs 68 g",
    "elderberry weighs 170 g",
    "fig weighs 51 g",
    "grape weighs 85 g",
    "kiwi weighs 68 g",
  ]);
  expect(stderr).toContain("tally: kiwi (index 7): exit 4, attempt 1 of 2, retrying\n");
  expect(stderr).toContain("banana does not lie still\n");
  expect(stderr).toContain("fruits: 7 of 8 succeeded, 1 failed, 2 retried in ");
  expect(stderr).toContain("retry failed items:     tally retry fruits --failed\n");
  expect(stdout).toContain("The run has ended with exit code 1");
});
