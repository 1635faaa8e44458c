import fc from "fast-check";
import { expect, test } from "vitest";
import { widthOf } from "./cut.ts";
import { paintLine, type RunView, type ScreenSize, viewRun } from "./view.ts";

const VIEW: RunView = {
  name: "thumbs",
  total: 1200,
  succeeded: 480,
  failed: 0,
  waiting: 0,
  parallelism: 3,
  state: "running",
  pace: { rate: 12, remainingMs: 60_000 },
  elapsedMs: 40_000,
  running: [
    { item: "banana.jpg", attempt: 1, forMs: 1_200, lastLine: "reading 12 MB" },
    { item: "kiwi.jpg", attempt: 2, forMs: 400, lastLine: "" },
    { item: "orange.jpg", attempt: 1, forMs: 65_000, lastLine: "pass 2 of 2" },
  ],
  runningCount: 3,
  hasKeys: true,
};
const SIZE: ScreenSize = { columns: 80, rows: 24 };

const shown = (view: Partial<RunView> = {}, size: ScreenSize = SIZE) =>
  viewRun({ ...VIEW, ...view }, size)
    .map((line) => paintLine(line, false).trimEnd())
    .join("\n");

test("a run that goes well", () => {
  expect(shown()).toMatchInlineSnapshot(`
    "thumbs ━━━━━━━━━━━━━━━━───────────────────────  480/1,200  40%  12/s  ETA 1m00s
      banana.jpg             1.2s  reading 12 MB
      kiwi.jpg (attempt 2)   0.4s
      orange.jpg            1m05s  pass 2 of 2
      p pause   +/- at once (3)   l log   q quit"
  `);
});

test("failures, retries and a pause", () => {
  const view = { succeeded: 800, failed: 13, waiting: 2, state: "paused" } as const;
  expect(shown(view)).toMatchInlineSnapshot(`
    "thumbs ━━━━━━━━━━━━━━━━━━───────  813/1,200  67%  13 failed  2 to retry  paused
      banana.jpg             1.2s  reading 12 MB
      kiwi.jpg (attempt 2)   0.4s
      orange.jpg            1m05s  pass 2 of 2
      p go on   +/- at once (3)   l log   q quit"
  `);
});

test("more running than there is room for", () => {
  const running = Array.from({ length: 40 }, (_, at) => ({
    item: `item-${at}`,
    attempt: 1,
    forMs: 1000,
    lastLine: "",
  }));
  expect(shown({ running, runningCount: 400 }, { columns: 60, rows: 9 })).toMatchInlineSnapshot(`
    "thumbs ━━━━━━━━───────────  480/1,200  40%  12/s  ETA 1m00s
      item-0   1.0s
      item-1   1.0s
      item-2   1.0s
      item-3   1.0s
      and 396 more
      p pause   +/- at once (3)   l log   q quit"
  `);
});

test("the log of one item takes the place of all", () => {
  const log = { title: "kiwi.jpg (index 7): .tally/logs/kiwi.log", lines: ["one", "two", "three"] };
  expect(shown({ log })).toMatchInlineSnapshot(`
    "thumbs ━━━━━━━━━━━━━━━━───────────────────────  480/1,200  40%  12/s  ETA 1m00s
      kiwi.jpg (index 7): .tally/logs/kiwi.log
      one
      two
      three
      l back   n next   q quit"
  `);
});

test("a Job without a total, in a narrow terminal without keys", () => {
  const pace = { rate: undefined, remainingMs: undefined };
  const view = { total: undefined, pace, running: [], runningCount: 0, hasKeys: false };
  expect(shown(view, { columns: 40, rows: 5 })).toMatchInlineSnapshot(`"thumbs   480  40s"`);
});

test("colours do not change the text", () => {
  const plain = viewRun(VIEW, SIZE).map((line) => paintLine(line, false));
  const colored = viewRun(VIEW, SIZE).map((line) => paintLine(line, true));
  expect(colored.map((line) => line.replace(/\u001b\[\d+m/g, ""))).toEqual(plain);
  expect(colored.join("")).toContain("\u001b[32m");
});

test("no line is wider and no screen is higher than the terminal", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 200 });
  const item = fc.record({
    item: text,
    attempt: fc.integer({ min: 1, max: 9 }),
    forMs: fc.nat(1e9),
    lastLine: text,
  });
  const view = fc.record({
    name: text,
    total: fc.option(fc.nat(1e6), { nil: undefined }),
    succeeded: fc.nat(1e6),
    failed: fc.nat(1e6),
    waiting: fc.nat(1e4),
    running: fc.array(item, { maxLength: 30 }),
    log: fc.option(fc.record({ title: text, lines: fc.array(text) }), { nil: undefined }),
  });
  const size = fc.record({
    columns: fc.integer({ min: 60, max: 200 }),
    rows: fc.integer({ min: 5, max: 60 }),
  });
  fc.assert(
    fc.property(view, size, ({ log, ...given }, terminal) => {
      const whole = { ...VIEW, ...given, ...(log ? { log } : {}) };
      const lines = viewRun({ ...whole, runningCount: given.running.length }, terminal);
      expect(lines.length).toBeLessThan(terminal.rows);
      for (const line of lines) {
        expect(widthOf(paintLine(line, false))).toBeLessThan(terminal.columns);
      }
    }),
  );
});
