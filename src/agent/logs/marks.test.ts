import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addMark,
  decodeMarks,
  encodeMarks,
  findMark,
  type Mark,
  offsetSince,
  spacingMs,
} from "./marks.ts";

const marks: Mark[] = [
  { offset: 10, timeMs: 1000 },
  { offset: 25, timeMs: 1000 },
  { offset: 40, timeMs: 1200 },
];

test.each([
  [0, 1000],
  [9, 1000],
  [10, 1000],
  [24, 1000],
  [25, 1200],
  [39, 1200],
  [40, undefined],
])("what begins at %i has the time of the mark beyond it", (offset, timeMs) => {
  expect(findMark(marks, offset)?.timeMs).toBe(timeMs);
});

test.each([
  [0, 0],
  [1000, 0],
  [1001, 25],
  [1200, 25],
  [1201, undefined],
])("what was written at %i or later begins where the marks before end", (sinceMs, offset) => {
  expect(offsetSince(marks, sinceMs)).toBe(offset);
});

test("a log without marks has nothing to tell of the past", () => {
  expect([findMark([], 0), offsetSince([], 0)]).toEqual([undefined, undefined]);
});

const someMarks = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: 1e6 })))
  .map((steps) => {
    const grown: Mark[] = [];
    let offset = 0;
    let timeMs = 1.7e12;
    for (const [bytes, ms] of steps) {
      offset += bytes;
      timeMs += ms;
      grown.push({ offset, timeMs });
    }
    return grown;
  });

test("marks that were saved are read again, whole ones only", () => {
  fc.assert(
    fc.property(someMarks, fc.nat(15), (saved, torn) => {
      const bytes = encodeMarks(saved);
      expect(decodeMarks(bytes)).toEqual(saved);
      expect(decodeMarks(Buffer.concat([bytes, Buffer.alloc(torn, 1)]))).toEqual(saved);
    }),
  );
});

test("since a time is found what has that time or a later one, and nothing else", () => {
  fc.assert(
    fc.property(someMarks, fc.nat(1e6), (saved, later) => {
      const sinceMs = 1.7e12 + later;
      const from = offsetSince(saved, sinceMs) ?? saved.at(-1)?.offset ?? 0;
      for (const { offset } of saved) {
        const begins = offset - 1;
        const time = findMark(saved, begins)?.timeMs ?? Number.NaN;
        expect(begins >= from).toBe(time >= sinceMs);
      }
    }),
  );
});

test("a clock that was set back does not turn the order around", () => {
  const noted: Mark[] = [];
  addMark(noted, { offset: 1, timeMs: 500 });
  addMark(noted, { offset: 2, timeMs: 400 });
  addMark(noted, { offset: 2, timeMs: 600 });
  expect(noted).toEqual([
    { offset: 1, timeMs: 500 },
    { offset: 2, timeMs: 500 },
  ]);
});

test("whoever writes without a pause for long is marked less often", () => {
  expect(spacingMs(0)).toBeLessThan(100);
  expect(spacingMs(1_000_000)).toBe(1000);
});
