import fc from "fast-check";
import { expect, test } from "vitest";
import { silentLog } from "../../base/log.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { KeyedWorker } from "./keyed-worker.ts";

/** A worker whose reconciles end when the test says so. */
function aWorker() {
  const clock = new ManualClock();
  const started: string[] = [];
  const running: { readonly key: string; readonly end: (error?: Error) => void }[] = [];
  const worker = new KeyedWorker({
    clock,
    log: silentLog,
    reconcile: (key) => {
      started.push(key);
      return new Promise<void>((resolve, reject) => {
        running.push({ key, end: (error) => (error ? reject(error) : resolve()) });
      });
    },
  });
  /** Ends the one that runs longest, or the n-th of them. */
  const finish = async (error?: Error, index = 0): Promise<void> => {
    const [ended] = running.splice(index, 1);
    ended?.end(error);
    await settled();
  };
  return { clock, worker, started, running, finish };
}

/** Everything that promises can do on their own has been done. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const failure = new Error("not now");

test("different keys are worked on at the same time", () => {
  const { worker, started } = aWorker();
  for (const key of ["a", "b", "c"]) worker.add(key);
  expect(started).toEqual(["a", "b", "c"]);
});

test("a key that comes up while it is worked on is worked on once more, not at once", async () => {
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

test("a failure is tried again after delays that double up to half a minute", async () => {
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

test("after a success delays begin anew", async () => {
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

test("a key that comes up while it waits is not made to wait, and not done twice", async () => {
  const { worker, clock, started, finish } = aWorker();
  worker.add("a");
  await finish(failure);
  worker.add("a");
  expect(started).toEqual(["a", "a"]);
  await finish();
  clock.advance(60_000);
  expect(started).toEqual(["a", "a"]);
});

test("a failure of one key does not delay another", async () => {
  const { worker, started, finish } = aWorker();
  worker.add("a");
  await finish(failure);
  worker.add("b");
  expect(started).toEqual(["a", "b"]);
});

test("after a stop nothing begins: no retry, no key that came up, no new one", async () => {
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

type Step =
  | { readonly kind: "add"; readonly key: string }
  | { readonly kind: "end"; readonly index: number; readonly fails: boolean }
  | { readonly kind: "wait"; readonly ms: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("add" as const), key: fc.constantFrom("a", "b", "c") }),
    fc.record({ kind: fc.constant("end" as const), index: fc.nat(2), fails: fc.boolean() }),
    fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(500) }),
  ),
  { maxLength: 40 },
);

test("no key runs twice at once, and every add is followed by a run that succeeds", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (each) => {
      const { worker, clock, started, running, finish } = aWorker();
      /** By key, how many runs had begun when it was last added. */
      const addedAt = new Map<string, number>();
      for (const step of each) {
        if (step.kind === "wait") clock.advance(step.ms);
        else if (step.kind === "end") await finish(step.fails ? failure : undefined, step.index);
        else {
          addedAt.set(step.key, started.filter((key) => key === step.key).length);
          worker.add(step.key);
        }
        const keys = running.map(({ key }) => key);
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
