import fc from "fast-check";
import { expect, test } from "vitest";
import { stampLines } from "./line-stamps.ts";
import type { Mark } from "./marks.ts";

const AT_NINE = Date.UTC(2026, 0, 1, 9);
const marks: Mark[] = [
  { offset: 4, timeMs: AT_NINE },
  { offset: 100, timeMs: AT_NINE + 123 },
];

test("every line has the time of the mark beyond its beginning", () => {
  const bytes = Buffer.from("a\nb\nc\nd");
  expect(stampLines({ bytes, offset: 0, beginsLine: true }, marks).toString()).toBe(
    "2026-01-01T09:00:00.000000000Z a\n" +
      "2026-01-01T09:00:00.000000000Z b\n" +
      "2026-01-01T09:00:00.123000000Z c\n" +
      "2026-01-01T09:00:00.123000000Z d",
  );
});

test("a line that goes on has its time already", () => {
  const bytes = Buffer.from("est\nnext\n");
  expect(stampLines({ bytes, offset: 50, beginsLine: false }, marks).toString()).toBe(
    "est\n2026-01-01T09:00:00.123000000Z next\n",
  );
});

test("an empty line is a line", () => {
  const stamped = stampLines({ bytes: Buffer.from("\n\n"), offset: 0, beginsLine: true }, marks);
  expect(stamped.toString().split("\n")).toHaveLength(3);
});

test("blocks may be cut anywhere", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "é") }).map((it) => Buffer.from(it));
  fc.assert(
    fc.property(text, fc.nat(), (bytes, anywhere) => {
      const cut = bytes.length === 0 ? 0 : anywhere % bytes.length;
      const [left, right] = [bytes.subarray(0, cut), bytes.subarray(cut)];
      const whole = stampLines({ bytes, offset: 0, beginsLine: true }, marks);
      const parts = [
        stampLines({ bytes: left, offset: 0, beginsLine: true }, marks),
        stampLines(
          { bytes: right, offset: cut, beginsLine: cut === 0 || left.at(-1) === 10 },
          marks,
        ),
      ];
      expect(Buffer.concat(parts)).toEqual(whole);
    }),
  );
});
