import fc from "fast-check";
import { expect, test } from "vitest";
import type { EndedRun } from "./protocol.ts";
import {
  formatBegin,
  formatEnd,
  formatForget,
  formatKill,
  formatRun,
  formatSlot,
  readRecords,
} from "./records.ts";

const SLOT = { slot: "g-0", pid: 42, ticks: "1234", boot: "boot" };
const END: EndedRun = { run: "u/c/0", exitCode: 0, startedMs: 5, finishedMs: 9 };
const BORN = formatSlot(SLOT);
const RUN = { number: 1, run: "u/c/0", startedMs: 5, slot: SLOT, isKilled: false };
const BEGUN = formatBegin(RUN);
const PLACED = { ...RUN, place: "default/a b\nc/0" };

test.each([
  ["nothing", "", []],
  ["a slot without a run", BORN, []],
  ["a run that began", BORN + BEGUN, [RUN]],
  ["a run with a place", BORN + formatBegin(PLACED), [PLACED]],
  ["a run of before there were places", `${BORN}b 1 g-0 5 u/c/0\n`, [RUN]],
  ["one that is being killed", BORN + BEGUN + formatKill(1), [{ ...RUN, isKilled: true }]],
  ["one that ended", BORN + BEGUN + formatEnd(1, END), [{ ...RUN, end: END }]],
  ["one that is forgotten", BORN + BEGUN + formatEnd(1, END) + formatForget(1), []],
  ["a begin that was cut off", BORN + BEGUN.slice(0, -1), []],
  ["an end that was cut off", BORN + BEGUN + formatEnd(1, END).slice(0, -1), [RUN]],
  ["a slot nobody knows", BEGUN, [{ ...RUN, slot: undefined }]],
])("records of %s", (_what, text, runs) => {
  expect(readRecords(text)).toEqual(runs);
});

test("a run is read as it was written", () => {
  const run = fc.record({
    number: fc.nat(),
    run: fc.stringMatching(/^[a-z0-9-]+\/[a-z]+\/[0-9]$/),
    startedMs: fc.nat(),
    slot: fc.constantFrom(SLOT, undefined),
    isKilled: fc.boolean(),
  });
  const end = fc.record({ exitCode: fc.nat(255), finishedMs: fc.nat() });
  const more = fc.record(
    { signal: fc.integer({ min: 1, max: 64 }), isOutOfMemory: fc.constant(true) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(run, fc.option(end, { nil: undefined }), more, (begun, ended, flags) => {
      const { run: name, startedMs } = begun;
      const whole = ended && { end: { run: name, startedMs, ...ended, ...flags } };
      expect(readRecords(formatRun({ ...begun, ...whole }))).toEqual([{ ...begun, ...whole }]);
    }),
  );
});

test("a prefix of the records never tells more than was written", () => {
  const whole = BORN + BEGUN + formatKill(1) + formatEnd(1, END);
  for (let length = 0; length <= whole.length; length++) {
    const [run] = readRecords(whole.slice(0, length));
    if (run?.end !== undefined) expect(length).toBe(whole.length);
  }
});
