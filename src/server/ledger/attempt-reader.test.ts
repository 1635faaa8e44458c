import fc from "fast-check";
import { expect, test } from "vitest";
import { anAttempt } from "../../../test/builders/attempt.ts";
import { attemptKey } from "../../ledger/keys.ts";
import { formatAttempt } from "../../ledger/records.ts";
import type { Note, NoteRange } from "../../store/types.ts";
import { AttemptReader } from "./attempt-reader.ts";

const NAME = { namespace: "ns", jobName: "work" };

test("attempts are found in any order of requested indexes", () => {
  const indexes = fc.array(fc.nat(60), { maxLength: 80 });
  const question = fc.record({ index: fc.nat(70), kind: fc.constantFrom("read", "next") });
  fc.assert(
    fc.property(indexes, fc.array(question), (attempted, questions) => {
      const reader = readerOf(attempted.map((index, n) => aNote(index, { podUID: `u${n}` })));
      for (const { index, kind } of questions) {
        if (kind === "read") {
          const expected = attempted.filter((each) => each === index).length;
          expect(reader.read(index)).toHaveLength(expected);
        } else {
          const later = attempted.filter((each) => each >= index);
          expect(reader.nextIndex(index)).toBe(later.sort((one, other) => one - other)[0]);
        }
      }
    }),
  );
});

test("attempts are sorted by age, even if created in the same second", () => {
  const reader = readerOf([
    aNote(1, { podUID: "z", created: "2026-01-01T00:00:00Z", revision: 10 }),
    aNote(1, { podUID: "a", created: "2026-01-01T00:00:01Z", revision: 40 }),
    aNote(1, { podUID: "b", created: "2026-01-01T00:00:01Z", revision: 30 }),
  ]);
  expect(reader.read(1).map(({ podUID }) => podUID)).toEqual(["z", "b", "a"]);
});

test("attempts of another story are skipped", () => {
  const reader = readerOf([
    aNote(1, { podUID: "a", jobUID: "former" }),
    aNote(2, { podUID: "b" }),
    aNote(2, { podUID: "c", jobUID: "former" }),
  ]);
  expect(reader.nextIndex(0)).toBe(2);
  expect([reader.read(1).length, reader.read(2).length]).toEqual([0, 1]);
});

test("for consecutive indexes, notes are read in batches", () => {
  let asked = 0;
  const notes = Array.from({ length: 5000 }, (_, index) => aNote(index, { podUID: "u" }));
  const reader = readerOf(notes, () => asked++);
  for (let index = 0; index < 5000; index++) expect(reader.read(index)).toHaveLength(1);
  expect(asked).toBeLessThan(25);
});

interface NoteFields {
  readonly podUID: string;
  readonly jobUID?: string;
  readonly created?: string;
  readonly revision?: number;
}

function aNote(index: number, fields: NoteFields): Note {
  const { podUID, jobUID = "job", created = "2026-01-01T00:00:00Z", revision = 1 } = fields;
  const attempt = anAttempt({ jobUID, podUID });
  return {
    key: attemptKey({ ...NAME, index, podUID, run: "~" }),
    bytes: formatAttempt({ attempt, created, revision }),
  };
}

function readerOf(notes: readonly Note[], onList: () => void = () => {}): AttemptReader {
  const sorted = [...notes].sort((one, other) => (one.key < other.key ? -1 : 1));
  const listNotes = ({ prefix, from = prefix, limit }: NoteRange) => {
    onList();
    return sorted.filter(({ key }) => key.startsWith(prefix) && key >= from).slice(0, limit);
  };
  return new AttemptReader({ listNotes }, NAME, new Set(["job"]));
}
