import { expect, test } from "vitest";
import type { EndedRun, StartOrder } from "../../spawner/protocol.ts";
import { type AllNews, settleRuns } from "./known-runs.ts";

const NOTHING: AllNews = { news: "all", running: [], ended: [] };
const running = { run: "uid/c/0", pid: 7, startedMs: 1 };
const order: StartOrder = {
  order: "start",
  run: running.run,
  command: ["true"],
  environment: [],
  directory: "/",
  logFile: "/log",
};

test("a run that the next spawner has found goes on", () => {
  const all = { ...NOTHING, running: [running] };
  expect(settleRuns([{ running, order }], all, 5)).toEqual({ ended: [], again: [] });
});

test("a run that ended without a spawner ends as its record says", () => {
  const end: EndedRun = { run: running.run, exitCode: 3, startedMs: 1, finishedMs: 4 };
  const all = { ...NOTHING, ended: [end] };
  expect(settleRuns([{ running, order }], all, 5)).toEqual({ ended: [end], again: [] });
});

test("a run without a record never began and is asked for again", () => {
  expect(settleRuns([{ running, order }], NOTHING, 5)).toEqual({ ended: [], again: [order] });
});

test("a run without a record is lost if only an earlier server knew its order", () => {
  const lost = { run: running.run, exitCode: 137, startedMs: 1, finishedMs: 5, isLost: true };
  expect(settleRuns([{ running }], NOTHING, 5)).toEqual({ ended: [lost], again: [] });
});
