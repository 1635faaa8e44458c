/**
 * A StatefulSet with claims, many times, while other processes keep all cores and the disk busy:
 *
 *   RUNS=500 npx vitest run --config vitest.long.config.ts test/long/statefulset-claims.test.ts
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { kubectlTests } from "../kubectl/prompt.ts";
import { keepDataInClaims } from "../kubectl/statefulset-stories.ts";

const RUNS = Number(process.env["RUNS"] ?? 500);
const BUSY = "while :; do :; done";
const WRITING = "while :; do dd if=/dev/zero of=$0 bs=1M count=64 conv=fsync 2>/dev/null; done";

const folder = mkdtempSync(path.join(tmpdir(), "tally-stress-"));
const stress: ChildProcess[] = [];

beforeAll(() => {
  for (const _ of cpus()) stress.push(spawn("sh", ["-c", BUSY]));
  stress.push(spawn("sh", ["-c", WRITING, path.join(folder, "file")]));
});
afterAll(() => {
  for (const child of stress) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const check = kubectlTests([`--sandbox-share=${tmpdir()}`]);

for (let run = 1; run <= RUNS; run++) check(`run ${run} keeps its data`, keepDataInClaims);
