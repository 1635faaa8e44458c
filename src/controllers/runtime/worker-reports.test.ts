import { expect, test } from "vitest";
import { aWorker } from "../../../test/builders/keyed-worker.ts";
import { ApiError } from "../../api/errors.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";

const failure = new Error("not now");

test("an expected failure is retried without a warning", async () => {
  const levels: string[] = [];
  const log = {
    ...silentLog,
    debug: () => levels.push("debug"),
    warn: () => levels.push("warn"),
  };
  const isExpected = (error: unknown) => error === failure;
  const { worker, clock, started, finish } = aWorker({ log, isExpected });
  worker.add("a");
  await finish(failure);
  clock.advance(50);
  await finish(new Error("really"));
  expect(levels).toEqual(["debug", "warn"]);
  clock.advance(100);
  expect(started).toEqual(["a", "a", "a"]);
});

test("an update conflict is retried without a warning; the fifth in a row logs one", async () => {
  const levels: string[] = [];
  const log = {
    ...silentLog,
    debug: () => levels.push("debug"),
    warn: () => levels.push("warn"),
  };
  const { worker, clock, finish } = aWorker({ log });
  worker.add("a");
  for (const reason of ["Conflict", "NotFound", "AlreadyExists", "Conflict", "Conflict"]) {
    await finish(new ApiError(409, reason, "somebody was quicker"));
    clock.advance(30_000);
  }
  expect(levels).toEqual(["debug", "debug", "debug", "debug", "warn"]);
  await finish();
  worker.add("a");
  await finish(new ApiError(409, "Conflict", "somebody was quicker"));
  clock.advance(30_000);
  await finish(new ApiError(403, "Forbidden", "not allowed"));
  expect(levels.slice(5)).toEqual(["debug", "warn"]);
});

test("diagnostics list the running, waiting and retried keys", async () => {
  const metrics = new Metrics();
  const { worker, clock, finish } = aWorker({ metrics, name: "q", workers: 1 });
  const read = () => metrics.diagnostics.read();
  expect(read()).toEqual([]);
  worker.add("a");
  await finish(failure);
  worker.add("b");
  worker.add("c");
  worker.add("b");
  worker.addAfter("d", 1000);
  clock.advance(20);
  expect(read()).toEqual([
    {
      name: "queue q",
      total: 4,
      entries: [
        { key: "b", state: "running", forMs: 20, isDueAgain: true },
        { key: "c", state: "queued", forMs: 20 },
        { key: "a", state: "retry", inMs: 30, failures: 1, error: failure },
        { key: "d", state: "scheduled", inMs: 980 },
      ],
    },
  ]);
  worker.stop();
  expect(read()).toEqual([]);
});
