import { readdirSync, truncateSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  loggedPod,
  readText,
  someLogs,
  type TestLogs,
  write,
} from "../../../test/builders/logs.ts";
import type { Retention } from "./prune.ts";

const HOUR_MS = 3_600_000;

let own: TestLogs;
beforeEach(async () => {
  own = await someLogs();
});
afterEach(() => own.dispose());

/** A pod that is over, its output so long and so old. */
function aLog(name: string, bytes: number, hours: number): void {
  const { logs, clock } = own;
  const pod = loggedPod(name);
  const run = { container: "c", attempt: 0 };
  write(logs.begin(pod, run), "x".repeat(bytes), clock.nowMs() - hours * HOUR_MS);
  logs.end({ podUid: `uid-of-${name}`, ...run });
}

function left(): string[] {
  return readdirSync(own.directory).map((name) => name.split("_")[1] ?? "");
}

test.each<[Retention, string[], object]>([
  [{}, ["a", "b", "c"], { pods: 0, bytes: 0 }],
  [{ olderThanMs: 1.5 * HOUR_MS }, ["c"], { pods: 2, bytes: 30 }],
  [{ totalBytes: 45 }, ["b", "c"], { pods: 1, bytes: 20 }],
  [{ totalBytes: 0 }, [], { pods: 3, bytes: 60 }],
  [{ olderThanMs: 2.5 * HOUR_MS, totalBytes: 30 }, ["c"], { pods: 2, bytes: 30 }],
])("with %j what is left is %j", async (retention, expected, pruned) => {
  aLog("c", 30, 1);
  aLog("a", 20, 3);
  aLog("b", 10, 2);
  expect(await own.logs.prune(retention)).toEqual(pruned);
  expect(left()).toEqual(expected);
});

test("a pod that runs keeps its logs, however old", async () => {
  const file = own.logs.begin(loggedPod("old"), { container: "c", attempt: 1 });
  write(file, "x", own.clock.nowMs() - 99 * HOUR_MS);
  await own.logs.prune({ olderThanMs: HOUR_MS, totalBytes: 0 });
  expect(left()).toEqual(["old"]);
});

test("logs are removed by pod, and no others", async () => {
  aLog("a", 1, 1);
  aLog("b", 1, 1);
  await own.logs.remove("uid-of-a");
  expect(left()).toEqual(["b"]);
  expect(await readText(own.logs, loggedPod("a"))).toBe("");
});

test("a hole in the log of one pod costs no other pod its log", async () => {
  aLog("a", 20, 3);
  aLog("sparse", 10, 1);
  const sparse = readdirSync(own.directory).find((name) => name.includes("_sparse_")) ?? "";
  truncateSync(path.join(own.directory, sparse), 4 * 1024 ** 4);
  expect(await own.logs.prune({ totalBytes: 1_000_000 })).toEqual({ pods: 0, bytes: 0 });
});
