import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loggedPod, someLogs, type TestLogs, textOf, write } from "../../../test/builders/logs.ts";
import { BLOCK_BYTES } from "./log-block.ts";
import { MARK_EVERY_MS } from "./marks.ts";
import type { ReadOptions } from "./read-log.ts";

let own: TestLogs;
beforeEach(async () => {
  own = await someLogs();
  leaving = new AbortController();
});
afterEach(async () => {
  leaving.abort();
  await Promise.all(followers.splice(0).map((follower) => follower.return?.()));
  await own.dispose();
});

let leaving: AbortController;
const followers: AsyncIterator<Buffer>[] = [];

const pod = loggedPod();
const run = { container: "c", attempt: 0 };
const id = { podUid: "uid-of-p", ...run };

function follow(options: ReadOptions = {}): AsyncIterator<Buffer> {
  const read = own.logs.read(pod, run, { follow: true, ...options }, leaving.signal);
  const follower = read[Symbol.asyncIterator]();
  followers.push(follower);
  return follower;
}

async function next(follower: AsyncIterator<Buffer>): Promise<string | undefined> {
  const { value, done } = await follower.next();
  return done ? undefined : value.toString("utf8");
}

test("a follower gets what is there, then what comes, and the end", async () => {
  const { logs, clock } = own;
  const file = logs.begin(pod, run);
  writeFileSync(file, "a\n");
  const follower = follow();
  expect(await next(follower)).toBe("a\n");
  const second = next(follower);
  appendFileSync(file, "b\n");
  clock.advance(MARK_EVERY_MS);
  expect(await second).toBe("b\n");
  const last = next(follower);
  appendFileSync(file, "at the very end");
  logs.end(id);
  expect([await last, await next(follower)]).toEqual(["at the very end", undefined]);
});

test("one that comes before the first byte waits for it", async () => {
  const { logs, clock } = own;
  const file = logs.begin(pod, run);
  const first = next(follow());
  clock.advance(MARK_EVERY_MS);
  writeFileSync(file, "a\n");
  clock.advance(MARK_EVERY_MS);
  expect(await first).toBe("a\n");
});

test("a run that ends without a word ends its followers", async () => {
  own.logs.begin(pod, run);
  const first = next(follow());
  own.logs.end(id);
  expect(await first).toBeUndefined();
});

test("to follow a run that is over is to read it", async () => {
  writeFileSync(own.logs.begin(pod, run), "a\n");
  own.logs.end(id);
  expect(await textOf(own.logs.read(pod, run, { follow: true }))).toBe("a\n");
});

test("the next attempt ends those who followed the last", async () => {
  const { logs } = own;
  writeFileSync(logs.begin(pod, run), "a\n");
  const follower = follow();
  expect(await next(follower)).toBe("a\n");
  const last = next(follower);
  logs.begin(pod, { ...run, attempt: 1 });
  expect(await last).toBeUndefined();
});

test("only new lines are followed from the last none", async () => {
  const { logs, clock } = own;
  const file = logs.begin(pod, run);
  writeFileSync(file, "old\n");
  const first = next(follow({ tailLines: 0 }));
  clock.advance(MARK_EVERY_MS);
  appendFileSync(file, "new\n");
  // The follower may begin before or after the second line: the first is not its.
  clock.advance(MARK_EVERY_MS);
  logs.end(id);
  expect(["new\n", undefined]).toContain(await first);
});

test("lines that are followed have times, one each", async () => {
  const { logs, clock } = own;
  const startMs = clock.nowMs();
  const file = logs.begin(pod, run);
  write(file, "be", startMs);
  const follower = follow({ timestamps: true });
  expect(await next(follower)).toBe("2026-01-01T00:00:00.000000000Z be");
  const rest = next(follower);
  write(file, "gun\nnext\n", startMs + 1000);
  clock.advance(MARK_EVERY_MS);
  expect(await rest).toBe("gun\n2026-01-01T00:00:01.000000000Z next\n");
});

test("nothing is followed before the time asked for has come", async () => {
  const { logs, clock } = own;
  const startMs = clock.nowMs();
  const file = logs.begin(pod, run);
  write(file, "early\n", startMs);
  const first = next(follow({ sinceMs: startMs + 1000 }));
  clock.advance(MARK_EVERY_MS);
  await roundTrip();
  write(file, "late\n", startMs + 2000);
  clock.advance(MARK_EVERY_MS);
  expect(await first).toBe("late\n");
});

test("a follower that leaves lets go of the file", async () => {
  writeFileSync(own.logs.begin(pod, run), "a\n");
  const before = openFiles();
  const follower = follow();
  await next(follower);
  expect(openFiles()).toBe(before + 1);
  const waiting = next(follower);
  leaving.abort();
  expect(await waiting).toBeUndefined();
  expect(openFiles()).toBe(before);
});

test("enough is enough, also for those who follow", async () => {
  writeFileSync(own.logs.begin(pod, run), "abcdef");
  expect(await textOf(own.logs.read(pod, run, { follow: true, limitBytes: 3 }))).toBe("abc");
});

test("many follow one file, and each gets all of it", async () => {
  const { logs, clock } = own;
  const file = logs.begin(pod, run);
  writeFileSync(file, "0\n");
  const all = Array.from({ length: 100 }, () => textOf(logs.read(pod, run, { follow: true })));
  for (let line = 1; line < 20; line++) {
    appendFileSync(file, `${line}\n`);
    clock.advance(MARK_EVERY_MS);
    await roundTrip();
  }
  logs.end(id);
  const expected = Array.from({ length: 20 }, (_, line) => `${line}\n`).join("");
  expect(new Set(await Promise.all(all))).toEqual(new Set([expected]));
});

test("a log that is quiet wakes its followers when it is written to", async () => {
  const { logs, clock } = own;
  const file = logs.begin(pod, run);
  writeFileSync(file, "a\n");
  const follower = follow();
  await next(follower);
  const second = next(follower);
  for (let look = 0; look < 10; look++) clock.advance(MARK_EVERY_MS);
  expect(clock.untilNextMs()).toBeUndefined();
  appendFileSync(file, "b\n");
  expect(await second).toBe("b\n");
  expect(clock.untilNextMs()).toBe(MARK_EVERY_MS);
});

test("a slow reader is given one block at a time", async () => {
  const { logs } = own;
  const size = 3 * BLOCK_BYTES + 5;
  writeFileSync(logs.begin(pod, run), "x".repeat(size));
  const lengths: number[] = [];
  for await (const piece of logs.read(pod, run)) lengths.push(piece.length);
  expect(lengths).toEqual([BLOCK_BYTES, BLOCK_BYTES, BLOCK_BYTES, 5]);
});

test("whoever reads without following is done, however fast it grows", async () => {
  const { logs } = own;
  const file = logs.begin(pod, run);
  writeFileSync(file, "x".repeat(BLOCK_BYTES));
  let read = 0;
  for await (const piece of logs.read(pod, run)) {
    read += piece.length;
    appendFileSync(file, piece);
  }
  expect(read).toBe(BLOCK_BYTES);
});

/** What was asked of the file system before is done after it. */
async function roundTrip(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
