import { expect, test } from "vitest";
import type { RunPhase, RunState } from "../show/run-state.ts";
import { formatBytes, type PruneRule, runsToPrune } from "./prune-rule.ts";

const RUNS = [
  aRun("oldest", "Succeeded", 1),
  aRun("old", "Failed", 2),
  aRun("stopped", "Stopped", 3),
  aRun("new", "Succeeded", 8),
];

test.each<[PruneRule, readonly string[]]>([
  [{}, ["new", "old", "oldest"]],
  [{ olderThanMs: 5 }, ["old", "oldest"]],
  [{ keep: 1 }, ["old", "oldest"]],
  [{ keep: 2 }, ["oldest"]],
  [{ keep: 9 }, []],
  [{ keep: 1, olderThanMs: 9 }, ["oldest"]],
])("%j removes %j", (rule, names) => {
  expect(runsToPrune(RUNS, rule, 10).map(({ name }) => name)).toEqual(names);
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 KiB"],
  [300 * 1024, "300 KiB"],
  [5 * 1024 ** 3, "5.0 GiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

function aRun(name: string, phase: RunPhase, atMs: number): RunState {
  return {
    ...{ name, phase, reason: undefined, total: 1, succeeded: 1, before: 0, failed: 0, active: 0 },
    ...{ createdMs: atMs, startMs: atMs, endMs: phase === "Stopped" ? undefined : atMs },
  };
}
