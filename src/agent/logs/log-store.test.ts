import { appendFileSync, existsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  loggedPod,
  readText,
  someLogs,
  type TestLogs,
  write,
} from "../../../test/builders/logs.ts";
import { marksFile, messageFile } from "../../api/log-files.ts";
import { silentLog } from "../../base/log.ts";
import { type LogNews, openLogs } from "./log-store.ts";
import { MARK_EVERY_MS } from "./marks.ts";

let own: TestLogs;
beforeEach(async () => {
  own = await someLogs();
});
afterEach(() => own.dispose());

const pod = loggedPod();
const run = { container: "c", attempt: 0 };
const id = { podUid: "uid-of-p", ...run };

/** One look of the timer. */
function look(): void {
  own.clock.advance(MARK_EVERY_MS);
}

/** A run that writes one of the lines at each time, seen at the next look. */
function written(...lines: readonly (readonly [timeMs: number, text: string])[]): string {
  const { logs, clock } = own;
  const startMs = clock.nowMs();
  const file = logs.begin(pod, run);
  for (const [timeMs, text] of lines) {
    while (clock.nowMs() < startMs + timeMs) look();
    write(file, text, startMs + timeMs);
    look();
  }
  return file;
}

test("a run has a file named after its pod, container and attempt", () => {
  const file = own.logs.begin(pod, run);
  expect(path.relative(own.directory, file)).toBe("default_p_uid-of-p_c_0.log");
});

test("a name too long for a file is shortened, not refused", async () => {
  const long = loggedPod("p".repeat(253), "6b2f4c1e-0000-4000-8000-000000000000");
  const own63 = { container: "c".repeat(63), attempt: 1_000_000 };
  const file = own.logs.begin(long, own63);
  writeFileSync(file, "x");
  writeFileSync(messageFile(file), "x");
  await own.logs.remove(long.metadata.uid ?? "");
  expect([existsSync(file), existsSync(messageFile(file))]).toEqual([false, false]);
});

test("a run that wrote nothing has an empty log", async () => {
  expect(await readText(own.logs, pod)).toBe("");
});

test("of two attempts each has its own log", async () => {
  const { logs } = own;
  writeFileSync(logs.begin(pod, run), "first\n");
  logs.end(id);
  writeFileSync(logs.begin(pod, { ...run, attempt: 1 }), "second\n");
  expect([await readText(logs, pod), await readText(logs, pod, {}, 1)]).toEqual([
    "first\n",
    "second\n",
  ]);
});

test.each([
  [{}, "a\nb\nc"],
  [{ tailLines: 0 }, ""],
  [{ tailLines: 1 }, "c"],
  [{ tailLines: 2 }, "b\nc"],
  [{ tailLines: 99 }, "a\nb\nc"],
  [{ limitBytes: 3 }, "a\nb"],
  [{ limitBytes: 99 }, "a\nb\nc"],
  [{ tailLines: 2, limitBytes: 1 }, "b"],
])("asked with %j it gives %j", async (options, expected) => {
  writeFileSync(own.logs.begin(pod, run), "a\nb\nc");
  own.logs.end(id);
  expect(await readText(own.logs, pod, options)).toBe(expected);
});

test("lines have the time at which they were seen to be there", async () => {
  written([0, "a\nb\n"], [250, "c\n"], [500, "d\n"]);
  own.logs.end(id);
  expect(await readText(own.logs, pod, { timestamps: true })).toBe(
    "2026-01-01T00:00:00.000000000Z a\n" +
      "2026-01-01T00:00:00.000000000Z b\n" +
      "2026-01-01T00:00:00.250000000Z c\n" +
      "2026-01-01T00:00:00.500000000Z d\n",
  );
});

test("a run that was over before the first look has the time of its last byte", async () => {
  const { logs, clock } = own;
  write(logs.begin(pod, run), "a\nb\n", clock.nowMs() + 125);
  logs.end(id);
  expect(await readText(logs, pod, { timestamps: true, tailLines: 1 })).toBe(
    "2026-01-01T00:00:00.125000000Z b\n",
  );
});

test.each([
  [0, "a\nb\nc\nd\n"],
  [1, "c\nd\n"],
  [250, "c\nd\n"],
  [251, "d\n"],
  [501, ""],
])("since %i ms after the start it wrote %j", async (afterMs, expected) => {
  const startMs = own.clock.nowMs();
  written([0, "a\nb\n"], [250, "c\n"], [500, "d\n"]);
  expect(await readText(own.logs, pod, { sinceMs: startMs + afterMs })).toBe(expected);
});

test("a line belongs to the time it began, and is never shown in part", async () => {
  const startMs = own.clock.nowMs();
  written([0, "begun "], [250, "and ended\nnext\n"]);
  const options = { sinceMs: startMs + 250, timestamps: true };
  expect(await readText(own.logs, pod, options)).toBe("2026-01-01T00:00:00.250000000Z next\n");
  expect(await readText(own.logs, pod, { timestamps: true })).toBe(
    "2026-01-01T00:00:00.000000000Z begun and ended\n2026-01-01T00:00:00.250000000Z next\n",
  );
});

test("the times survive whoever noted them", async () => {
  const { logs, clock, directory } = own;
  const startMs = clock.nowMs();
  written([0, "a\n"], [250, "b\n"], [500, "c\n"]);
  logs.close();
  const next = openLogs({ directory, clock, log: silentLog });
  const file = next.begin(pod, run);
  clock.advance(MARK_EVERY_MS);
  write(file, "d\n", startMs + 5000);
  clock.advance(MARK_EVERY_MS);
  next.end(id);
  const times = (await readText(next, pod, { timestamps: true })).match(/\d\.\d\d/g);
  expect(times).toEqual(["0.00", "0.25", "0.50", "5.00"]);
});

test("marks that a crash cut off shift none of those after", async () => {
  const { logs, clock } = own;
  const file = written([0, "a\n"], [250, "b\n"], [500, "c\n"]);
  logs.close();
  const marks = marksFile(file);
  truncateSync(marks, statSync(marks).size - 5);
  const next = openLogs({ directory: own.directory, clock, log: silentLog });
  next.begin(pod, run);
  for (const second of [4, 5]) {
    clock.advance(MARK_EVERY_MS);
    write(file, "d\n", Date.UTC(2026, 0, 1, 0, 0, second));
  }
  clock.advance(MARK_EVERY_MS);
  next.end(id);
  const times = (await readText(next, pod, { timestamps: true })).match(/\d\.\d\d/g);
  expect(times).toEqual(["0.00", "0.50", "0.50", "4.00", "5.00"]);
});

test("a log that was written at once needs no marks", () => {
  const file = written([0, "a\nb\n"]);
  own.logs.end(id);
  expect(existsSync(file.replace(".log", ".marks"))).toBe(false);
});

test("a log that was made shorter is told from its beginning", async () => {
  const { logs, clock } = own;
  const file = written([0, "a\n"], [250, "b\n"], [500, "c\n"]);
  truncateSync(file, 0);
  look();
  write(file, "new\n", clock.nowMs() + 1000);
  look();
  expect(await readText(logs, pod, { timestamps: true })).toMatch(/^[^ ]+:01\.\d+Z new\n$/);
});

test("its last words are its last lines, or the end of them", async () => {
  const { logs } = own;
  writeFileSync(logs.begin(pod, run), "one\ntwo\nthree\n");
  expect(await logs.lastWords(pod, run, { lines: 2, bytes: 100 })).toBe("two\nthree\n");
  expect(await logs.lastWords(pod, run, { lines: 2, bytes: 4 })).toBe("ree\n");
});

test("what a run writes beyond its limit is discarded, and told once", async () => {
  const limited = await someLogs({ maxBytes: 10 });
  const news: LogNews[] = [];
  limited.logs.onNews((each) => news.push(each));
  const file = limited.logs.begin(pod, run);
  for (const text of ["12345", "67890", "abc", "def"]) {
    write(file, text, limited.clock.nowMs());
    limited.clock.advance(MARK_EVERY_MS);
  }
  expect([statSync(file).size, news]).toEqual([10, [{ kind: "limit", id, maxBytes: 10 }]]);
  write(file, "at the end", limited.clock.nowMs());
  expect(await readText(limited.logs, pod, { follow: false })).toBe("1234567890");
  limited.logs.end(id);
  expect([statSync(file).size, news.length]).toEqual([10, 1]);
  await limited.dispose();
});

test("a short run is held to its limit when it ends", async () => {
  const limited = await someLogs({ maxBytes: 3 });
  const news: LogNews[] = [];
  limited.logs.onNews((each) => news.push(each));
  const file = limited.logs.begin(pod, run);
  writeFileSync(file, "12345");
  limited.logs.end(id);
  expect([statSync(file).size, news.length]).toEqual([3, 1]);
  await limited.dispose();
});

test("a full disk is told, and that it no longer is", async () => {
  let freeBytes = 5000;
  const full = await someLogs({ freeBytes: () => freeBytes });
  const news: LogNews[] = [];
  full.logs.onNews((each) => news.push(each));
  const file = full.logs.begin(pod, run);
  for (let second = 1; second <= 4; second++) {
    if (second === 3) freeBytes = 1e9;
    for (let each = 0; each < 10; each++) {
      write(file, "x", full.clock.nowMs());
      full.clock.advance(MARK_EVERY_MS);
    }
  }
  expect(news).toEqual([
    { kind: "disk", isFull: true },
    { kind: "disk", isFull: false },
  ]);
  await full.dispose();
});

test("where nothing runs nothing is looked at", () => {
  const { logs, clock } = own;
  logs.begin(pod, run);
  logs.end(id);
  clock.advance(MARK_EVERY_MS);
  expect(clock.untilNextMs()).toBeUndefined();
});

test("a log that is quiet is not looked at", () => {
  written([0, "a\n"]);
  for (let each = 0; each < 10; each++) look();
  expect(own.clock.untilNextMs()).toBeUndefined();
});

test.each([
  [{ tailLines: 1 }, "c\n"],
  [{ tailLines: 99 }, "b\nc\n"],
  [{ tailLines: 99, limitBytes: 3 }, "b\nc"],
  [{ limitBytes: 4 }, "a\0\0\0"],
  [{ follow: true, tailLines: 99 }, "b\nc\n"],
])("a log with a hole of terabytes is read with %j", async (options, expected) => {
  const { logs } = own;
  const file = written([0, "a"]);
  truncateSync(file, 4 * 1024 ** 4);
  appendFileSync(file, "b\nc\n");
  logs.end(id);
  expect(await readText(logs, pod, options)).toBe(expected);
});

test.each([
  [{}, "b\nc\n"],
  [{ tailLines: 1 }, "c\n"],
])("what was written after a time and a hole is read with %j", async (options, expected) => {
  const startMs = own.clock.nowMs();
  const file = written([0, "a"]);
  truncateSync(file, 4 * 1024 ** 4);
  write(file, "b\nc\n", startMs + 1000);
  look();
  const since = { ...options, sinceMs: startMs + 500 };
  expect(await readText(own.logs, pod, since)).toBe(expected);
});

test("the last words of a run are found though its log is a hole", async () => {
  const file = own.logs.begin(pod, run);
  writeFileSync(file, "words\n");
  expect(await own.logs.lastWords(pod, run, { lines: 2, bytes: 100 })).toBe("words\n");
  truncateSync(file, 4 * 1024 ** 4);
  const words = await own.logs.lastWords(pod, run, { lines: 2, bytes: 100 });
  expect(words).toBe("\0".repeat(100));
});
