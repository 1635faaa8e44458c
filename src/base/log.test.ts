import fc from "fast-check";
import { expect, test } from "vitest";
import { type LogOptions, openLog } from "./log.ts";
import type { LogLevel } from "./log-level.ts";
import { ManualClock } from "./manual-clock.ts";

function record(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const clock = new ManualClock(Date.UTC(2026, 1, 3, 4, 5, 6, 7));
  const write = (line: string) => void lines.push(line);
  return { lines, log: openLog({ level: "debug", format: "json", clock, write, ...options }) };
}

test("a JSON record contains time, level, message and fields", () => {
  const { lines, log } = record();
  log.child({ component: "store" }).info("opened", { objects: 3 });
  expect(lines).toEqual([
    '{"time":"2026-02-03T04:05:06.007Z","level":"info","message":"opened",' +
      '"component":"store","objects":3}\n',
  ]);
});

test("a text record quotes values that are not plain words", () => {
  const { lines, log } = record({ format: "text" });
  log.warn('slow "sync"', { path: "/var/lib", agent: "kubectl v1", count: 2, empty: "" });
  expect(lines).toEqual([
    '04:05:06.007 WARN  slow "sync" path=/var/lib agent="kubectl v1" count=2 empty=""\n',
  ]);
});

test("records below the level are not written", () => {
  const levels: LogLevel[] = ["debug", "info", "warn", "error"];
  const written = levels.map((level) => {
    const { lines, log } = record({ level });
    for (const each of levels) log[each]("message");
    return lines.length;
  });
  expect(written).toEqual([4, 3, 2, 1]);
});

test("an error prints with its causes, and with its stack only at level error", () => {
  const { lines, log } = record();
  const error = new Error("write journal", { cause: new Error("disk full") });
  log.warn("retry", { error });
  log.error("gave up", { error });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ error: "write journal: disk full" });
  expect(JSON.parse(lines[0] ?? "")).not.toHaveProperty("stack");
  expect(JSON.parse(lines[1] ?? "").stack).toContain("log.test.ts");
});

test("a field cannot replace the time, level or message of its record", () => {
  const { lines, log } = record();
  log.info("real", { message: "forged", level: "error", time: "never" });
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: "2026-02-03T04:05:06.007Z",
    level: "info",
    message: "real",
  });
});

test("unprintable values are replaced and huge ones truncated", () => {
  const { lines, log } = record();
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  log.info("odd", { loop, big: 2n ** 70n, body: "x".repeat(9000) });
  const parsed = JSON.parse(lines[0] ?? "");
  expect(parsed).toMatchObject({ loop: "[unprintable]", big: "1180591620717411303424" });
  expect(parsed.body).toBe(`${"x".repeat(8192)}… (808 more)`);
});

test.each(["json", "text"] as const)(
  "a %s record contains no line break and no control character",
  (format) => {
    const hostile = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom("\n", "\r", "\x1b[2J", "\u2028", "\x85", '"', "\\", "a") }),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, (message, name, value) => {
        const { lines, log } = record({ format });
        log.info(message, { [name]: value, deep: { [name]: value } });
        const line = lines.join("");
        expect(line.slice(0, -1)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/);
        expect(line.endsWith("\n")).toBe(true);
      }),
    );
  },
);
