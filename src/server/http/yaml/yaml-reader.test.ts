import { expect, test } from "vitest";
import { ManualClock } from "../../../base/manual-clock.ts";
import type { YamlOutcome } from "./read-yaml-text.ts";
import { YamlReader, type YamlThread } from "./yaml-reader.ts";

interface InWork {
  readonly text: string;
  settle(outcome?: YamlOutcome): Promise<void>;
  fail(): Promise<void>;
}

function aReader() {
  const inWork: InWork[] = [];
  const clock = new ManualClock();
  const threads = { started: 0, closed: 0 };
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const start = (): YamlThread => {
    threads.started++;
    return {
      read: ({ bytes }) =>
        new Promise((resolve, reject) => {
          const leave = (): void => void inWork.splice(inWork.indexOf(one), 1);
          const one: InWork = {
            text: Buffer.from(bytes).toString(),
            settle: (outcome = { json: "{}", repeatedKeys: [], isExact: false }) => {
              leave();
              resolve(outcome);
              return settled();
            },
            fail: () => {
              leave();
              reject(new Error("out of memory"));
              return settled();
            },
          };
          inWork.push(one);
        }),
      close: () => void threads.closed++,
    };
  };
  const reader = new YamlReader({ clock, start });
  const read = (user: string, text: string, isWanted = () => true) =>
    reader.read(user, { bytes: Buffer.from(text), mostValues: 10 }, isWanted);
  return { read, inWork, clock, threads, texts: () => inWork.map(({ text }) => text) };
}

test("one text per user is parsed at a time, and users take turns", async () => {
  const { read, inWork, texts } = aReader();
  const all = ["m1", "m2", "m3"].map((text) => read("mallory", text));
  all.push(read("alice", "a1"), read("alice", "a2"), read("bob", "b1"));
  expect(texts()).toEqual(["m1", "a1"]);
  await inWork[0]?.settle();
  expect(texts()).toEqual(["a1", "b1"]);
  await inWork[1]?.settle();
  expect(texts()).toEqual(["a1", "m2"]);
  while (inWork.length > 0) await inWork[0]?.settle();
  expect(await Promise.all(all)).toHaveLength(6);
});

test("a text whose client has disconnected is not parsed", async () => {
  const { read, inWork, texts } = aReader();
  const first = read("mallory", "m1");
  let isWanted = true;
  const second = read("mallory", "m2", () => isWanted);
  const third = read("mallory", "m3");
  isWanted = false;
  await inWork[0]?.settle();
  expect(texts()).toEqual(["m3"]);
  await inWork[0]?.settle();
  await Promise.all([first, second, third]);
});

test("a user with too many waiting texts is rejected", async () => {
  const { read } = aReader();
  for (let at = 0; at < 101; at++) read("mallory", `${at}`).catch(() => {});
  await expect(read("mallory", "too many")).rejects.toMatchObject({ code: 429 });
});

test("too many values are rejected, and syntax errors are returned", async () => {
  const { read, inWork } = aReader();
  const large = expect(read("alice", "a")).rejects.toMatchObject({ code: 413 });
  await inWork[0]?.settle({ isTooLarge: true });
  await large;
  const wrong = read("alice", "b");
  await inWork[0]?.settle({ problem: "yaml: line 1" });
  expect(await wrong).toEqual({ problem: "yaml: line 1" });
});

test("a failed thread is replaced, and an idle one is closed", async () => {
  const { read, inWork, clock, threads } = aReader();
  const failed = expect(read("alice", "a")).rejects.toThrow("out of memory");
  await inWork[0]?.fail();
  await failed;
  const next = read("alice", "b");
  await inWork[0]?.settle();
  await next;
  expect(threads).toEqual({ started: 2, closed: 1 });
  clock.advance(30_000);
  expect(threads.closed).toBe(2);
});
