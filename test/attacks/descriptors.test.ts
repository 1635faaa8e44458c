/**
 * Open files of the engine, or of the shell that started it, must not be inherited by the programs
 * it runs. test/agent/descriptors-contract.ts checks the open files of pods in each runtime.
 */
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { projectFile } from "../support/project-file.ts";

/**
 * Node itself closes descriptors up to 15, and the following ones up to the first that is unused.
 */
const PASSED_ON = [20, 60] as const;

let directory: string;
let secret: number;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-descriptors-"));
  writeFileSync(path.join(directory, "secret"), "");
  secret = openSync(path.join(directory, "secret"), "r");
});
afterEach(() => {
  closeSync(secret);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** Runs `tally ARGS` from a process that passes on open files, and returns its output. */
function run(args: readonly string[]): Promise<string> {
  const stdio: (number | "ignore" | "pipe")[] = ["ignore", "pipe", "ignore"];
  for (let at = stdio.length; at <= Math.max(...PASSED_ON); at++) stdio.push("ignore");
  for (const descriptor of PASSED_ON) stdio[descriptor] = secret;
  const child = spawn(process.execPath, [projectFile("dist/main.js"), ...args], {
    cwd: directory,
    env: { ...process.env, HOME: directory, XDG_STATE_HOME: "" },
    stdio,
  });
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  return new Promise((resolve) => child.once("close", () => resolve(printed)));
}

const STANDARD = "0\n1\n2\n3\n";

test("items of a run have only stdin, stdout and stderr open", async () => {
  const args = ["run", "-q", "--completions", "2", "--", "ls", "/proc/self/fd"];
  expect(await run(args)).toBe(STANDARD + STANDARD);
});

test("a run can read its list from a descriptor that its shell passes on", async () => {
  writeFileSync(path.join(directory, "secret"), "a\nb\n");
  const list = `/dev/fd/${PASSED_ON[0]}`;
  expect(await run(["run", "-q", "-j1", "-a", list, "--", "echo"])).toBe("a\nb\n");
});
