import fc from "fast-check";
import { expect, test } from "vitest";
import { aWorker, settled } from "../../../test/builders/keyed-worker.ts";
import { silentLog } from "../../base/log.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { Metrics } from "../../base/metrics.ts";
import { KeyedWorker } from "./keyed-worker.ts";
import { after, done } from "./outcome.ts";

const failure = new Error("not now");

test("different keys run concurrently", () => {
  const { worker, started } = aWorker();
  for (const key of ["a", "b", "c"]) worker.add(key);
  expect(started).toEqual(["a", "b", "c"]);
});

test("a key that is added during its run runs once more afterwards", async () => {
  const { worker, started, finish } = aWorker();
  worker.add("a");
  worker.add("a");
  worker.add("a");
  expect(started).toEqual(["a"]);
  await finish();
  expect(started).toEqual(["a", "a"]);
  await finish();
  expect(started).toEqual(["a", "a"]);
});

test("a failed key is retried after delays that double up to 30 seconds", async () => {
  const { worker, clock, started, finish } = aWorker();
  worker.add("a");
  const delays: (number | undefined)[] = [];
  for (let attempt = 1; attempt <= 12; attempt++) {
    expect(started).toHaveLength(attempt);
    await finish(failure);
    const delayMs = clock.untilNextMs();
    delays.push(delayMs);
    clock.advance((delayMs ?? 0) - 1);
    expect(started).toHaveLength(attempt);
    clock.advance(1);
  }
  const growing = [50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600];
  expect(delays).toEqual([...growing, 30_000, 30_000]);
});

test("a success resets the retry delay", async () => {
  const { worker, clock, finish } = aWorker();
  worker.add("a");
  await finish(failure);
  clock.advance(50);
  await finish(failure);
  clock.advance(100);
  await finish();
  worker.add("a");
  await finish(failure);
  expect(clock.untilNextMs()).toBe(50);
});

test("a key that is added while it waits for a retry runs at once, and only once", async () => {
  const { worker, clock, started, finish } = aWorker();
  worker.add("a");
  await finish(failure);
  worker.add("a");
  expect(started).toEqual(["a", "a"]);
  await finish();
  clock.advance(60_000);
  expect(started).toEqual(["a", "a"]);
});

test("a key that was added before its run failed runs again at once, and only once", async () => {
  const { worker, clock, started, finish } = aWorker();
  worker.add("a");
  worker.add("a");
  await finish(failure);
  expect(started).toEqual(["a", "a"]);
  await finish();
  expect(clock.untilNextMs()).toBeUndefined();
});

test("a failure of one key does not delay another", async () => {
  const { worker, started, finish } = aWorker();
  worker.add("a");
  await finish(failure);
  worker.add("b");
  expect(started).toEqual(["a", "b"]);
});

test("after stop nothing starts: no retry, no queued key, no new key", async () => {
  const { worker, clock, started, finish } = aWorker();
  for (const key of ["waits", "fails", "ends"]) worker.add(key);
  await finish(failure);
  worker.add("ends");
  worker.stop();
  await finish(failure);
  await finish();
  worker.add("new");
  clock.advance(60_000);
  expect(started).toEqual(["waits", "fails", "ends"]);
});

test("no more than the given number of keys run at once; the others wait in order", async () => {
  const { worker, started, finish } = aWorker({ workers: 2 });
  for (const key of ["a", "b", "c", "d"]) worker.add(key);
  expect(started).toEqual(["a", "b"]);
  await finish();
  expect(started).toEqual(["a", "b", "c"]);
  await finish();
  expect(started).toEqual(["a", "b", "c", "d"]);
});

test("five keys run at once by default", () => {
  const { worker, started } = aWorker();
  for (const key of "abcdefg") worker.add(key);
  expect(started).toEqual([..."abcde"]);
});

test("a key that is constantly added does not starve the others", async () => {
  const { worker, started, finish } = aWorker({ workers: 1 });
  worker.add("big");
  for (const key of ["small", "big", "tiny"]) worker.add(key);
  await finish();
  worker.add("big");
  await finish();
  await finish();
  await finish();
  expect(started).toEqual(["big", "small", "tiny", "big"]);
});

test("a waiting key is not queued twice", async () => {
  const { worker, started, finish } = aWorker({ workers: 1 });
  for (const key of ["a", "b", "b", "b"]) worker.add(key);
  for (let run = 0; run < 4; run++) await finish();
  expect(started).toEqual(["a", "b"]);
});

test("a key with several delays runs once, at the earliest time", async () => {
  const { worker, clock, started, finish } = aWorker();
  worker.addAfter("a", 1000);
  worker.addAfter("a", 300);
  worker.addAfter("a", 2000);
  clock.advance(299);
  expect(started).toEqual([]);
  clock.advance(1);
  expect(started).toEqual(["a"]);
  await finish();
  expect(clock.untilNextMs()).toBeUndefined();
});

test("a key with a delay of zero runs immediately", () => {
  const { worker, started } = aWorker();
  worker.addAfter("a", 0);
  expect(started).toEqual(["a"]);
});

test("a key that runs before its delayed run still runs at that time too", async () => {
  const { worker, clock, started, finish } = aWorker();
  worker.addAfter("a", 1000);
  worker.add("a");
  await finish();
  clock.advance(1000);
  expect(started).toEqual(["a", "a"]);
});

test("a delayed run that falls due during a run of the key is not lost", async () => {
  const { worker, clock, started, finish } = aWorker();
  worker.addAfter("a", 1000);
  worker.add("a");
  clock.advance(1000);
  expect(started).toEqual(["a"]);
  await finish();
  expect(started).toEqual(["a", "a"]);
});

test("a reconcile can request a later run", async () => {
  const { worker, clock, started, finish } = aWorker();
  worker.add("a");
  await finish(after(700));
  expect(clock.untilNextMs()).toBe(700);
  clock.advance(700);
  await finish(done);
  expect(clock.untilNextMs()).toBeUndefined();
  expect(started).toEqual(["a", "a"]);
});

test("a requested later run is not a failure: it resets the retry delay", async () => {
  const { worker, clock, finish } = aWorker();
  worker.add("a");
  await finish(failure);
  clock.advance(50);
  await finish(after(5));
  clock.advance(5);
  await finish(failure);
  expect(clock.untilNextMs()).toBe(50);
});

test("the delays between retries can be chosen", async () => {
  const { worker, clock, finish } = aWorker({ retry: { firstMs: 1000, maxMs: 60_000 } });
  worker.add("a");
  const delays: (number | undefined)[] = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    await finish(failure);
    delays.push(clock.untilNextMs());
    clock.advance(clock.untilNextMs() ?? 0);
  }
  expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

test("a retry does not postpone an earlier delayed run", async () => {
  const { worker, clock, finish } = aWorker({ retry: { firstMs: 1000, maxMs: 60_000 } });
  worker.add("a");
  worker.addAfter("a", 300);
  await finish(failure);
  expect(clock.untilNextMs()).toBe(300);
});

test("forget drops the failures and the delayed run of a key", async () => {
  const { worker, clock, started, finish } = aWorker();
  worker.add("a");
  await finish(failure);
  worker.forget("a");
  expect(clock.untilNextMs()).toBeUndefined();
  worker.add("a");
  await finish(failure);
  expect(clock.untilNextMs()).toBe(50);
  expect(started).toEqual(["a", "a"]);
});

test("a reconcile that throws synchronously is retried too", async () => {
  let runs = 0;
  const reconcile = () => {
    runs += 1;
    throw failure;
  };
  const { worker, clock } = aWorker({ reconcile });
  worker.add("a");
  await settled();
  clock.advance(50);
  expect(runs).toBe(2);
});

test("the metrics match those of Kubernetes' work queues", async () => {
  const metrics = new Metrics();
  const { worker, clock, finish } = aWorker({ workers: 1, metrics, name: "job" });
  const read = (name: string) =>
    Number(new RegExp(`^workqueue_${name}{name="job"} (.*)$`, "m").exec(metrics.text())?.[1]);
  for (const key of ["a", "a", "b", "c", "c"]) worker.add(key);
  expect([read("adds_total"), read("depth")]).toEqual([4, 3]);
  clock.advance(2000);
  await finish();
  clock.advance(500);
  await finish(failure);
  clock.advance(0);
  expect(read("depth")).toBe(1);
  expect(read("retries_total")).toBe(1);
  expect(read("work_duration_seconds_count")).toBe(2);
  expect(read("work_duration_seconds_sum")).toBe(2.5);
  expect(read("queue_duration_seconds_sum")).toBe(0 + 2 + 2.5);
});

type Step =
  | { readonly kind: "add"; readonly key: string }
  | { readonly kind: "addAfter"; readonly key: string; readonly ms: number }
  | { readonly kind: "end"; readonly index: number; readonly fails: boolean }
  | { readonly kind: "wait"; readonly ms: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("add" as const), key: fc.constantFrom("a", "b", "c") }),
    fc.record({
      kind: fc.constant("addAfter" as const),
      key: fc.constantFrom("a", "b", "c"),
      ms: fc.nat(500),
    }),
    fc.record({ kind: fc.constant("end" as const), index: fc.nat(2), fails: fc.boolean() }),
    fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(500) }),
  ),
  { maxLength: 40 },
);

test("no key runs twice at once, and every add is followed by a successful run", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (each) => {
      const { worker, clock, started, running, finish } = aWorker({ workers: 2 });
      /** By key, how many runs had begun when it was last added. */
      const addedAt = new Map<string, number>();
      for (const step of each) {
        if (step.kind === "wait") clock.advance(step.ms);
        else if (step.kind === "end") await finish(step.fails ? failure : undefined, step.index);
        else {
          addedAt.set(step.key, started.filter((key) => key === step.key).length);
          if (step.kind === "add") worker.add(step.key);
          else worker.addAfter(step.key, step.ms);
        }
        const keys = running.map(({ key }) => key);
        expect(keys.length).toBeLessThanOrEqual(2);
        expect(new Set(keys).size).toBe(keys.length);
      }
      while (running.length > 0 || clock.untilNextMs() !== undefined) {
        if (running.length > 0) await finish();
        else clock.advance(clock.untilNextMs() ?? 0);
      }
      for (const [key, before] of addedAt) {
        expect(started.filter((each) => each === key).length).toBeGreaterThan(before);
      }
    }),
  );
});

test("the metrics show for how long unfinished work has been running", async () => {
  const metrics = new Metrics();
  const { worker, clock, finish } = aWorker({ metrics, name: "q" });
  const told = (name: string) =>
    metrics.text().match(new RegExp(`^workqueue_${name}{name="q"} (.*)$`, "m"))?.[1];
  worker.add("a");
  clock.advance(1000);
  worker.add("b");
  clock.advance(500);
  expect(told("unfinished_work_seconds")).toBe("2");
  expect(told("longest_running_processor_seconds")).toBe("1.5");
  await finish();
  await finish();
  expect(told("unfinished_work_seconds")).toBe("0");
  expect(told("longest_running_processor_seconds")).toBe("0");
});

test("after 20 ms of uninterrupted work the worker yields to the event loop", async () => {
  const clock = new ManualClock();
  const started: string[] = [];
  const reconcile = async (key: string): Promise<void> => {
    started.push(key);
    clock.advance(8);
  };
  const worker = new KeyedWorker({ clock, log: silentLog, reconcile, workers: 1 });
  for (const key of ["a", "b", "c", "d", "e"]) worker.add(key);
  await settled();
  expect(started).toEqual(["a", "b", "c"]);
  clock.advance(0);
  await settled();
  expect(started).toEqual(["a", "b", "c", "d", "e"]);
});
