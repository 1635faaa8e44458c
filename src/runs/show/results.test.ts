import { expect, test } from "vitest";
import { anAttempt } from "../../../test/builders/attempt.ts";
import { numberedAttempts, resultOf } from "./item-result.ts";
import { csvField, type ResultRow, resultWriter } from "./results.ts";

const TIMES = { startTime: "2026-01-01T00:00:00.100Z", endTime: "2026-01-01T00:00:01.350Z" };

test.each<[string | number | undefined, string]>([
  [undefined, ""],
  [7, "7"],
  ["plain", "plain"],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["two\nlines", '"two\nlines"'],
  [" edge", '" edge"'],
])("%j is %s in CSV", (value, expected) => {
  expect(csvField(value)).toBe(expected);
});

test("a row has the last end and counts the attempts that ended", () => {
  const attempts = [
    anAttempt({ outcome: "Failed", exitCode: 3, podUID: "a" }),
    anAttempt({ outcome: "Deleted", podUID: "b" }),
    anAttempt({ outcome: "Succeeded", exitCode: 0, podUID: "c", ...TIMES }),
  ];
  const result = resultOf({ index: 4, state: "Succeeded", attempts }, "x y");
  expect(text("csv", ["ITEM"], { result, values: ["x y"], log: "l.log" })).toBe(
    "item,index,state,attempts,exit,seconds,log\nx y,4,Succeeded,2,0,1.25,l.log\n",
  );
});

test("a running item has no end, and the log of its current attempt", () => {
  const attempts = [
    anAttempt({ outcome: "Failed", exitCode: 3, podUID: "a" }),
    anAttempt({ outcome: "Running", podUID: "b" }),
  ];
  const result = resultOf({ index: 0, state: "Running", attempts }, undefined);
  expect(result).toMatchObject({ attempts: 2, exitCode: 3 });
  expect(result.last?.attempt.podUID).toBe("b");
});

test("tries counts the attempts of the last Job", () => {
  const attempts = ["old", "old", "new"].map((jobUID, n) => anAttempt({ jobUID, podUID: `${n}` }));
  expect(resultOf({ index: 0, state: "Failed", attempts }, "x")).toMatchObject({
    attempts: 3,
    tries: 1,
  });
});

test("attempts in one pod are numbered by its restarts", () => {
  const pods = ["a", "a", "b", "a"].map((podUID) => anAttempt({ podUID }));
  expect(numberedAttempts(pods).map(({ restarts }) => restarts)).toEqual([0, 1, 0, 2]);
});

test("several values have their own columns, and names in JSON", () => {
  const parameters = ["FRUIT", "COLOR"];
  const result = resultOf({ index: 0, state: "Pending", attempts: [] }, "FRUIT=apple COLOR=red");
  const row = { result, values: ["apple", "red"], log: undefined };
  expect(text("csv", parameters, row)).toBe(
    "item,index,state,attempts,exit,seconds,log,FRUIT,COLOR\n" +
      "FRUIT=apple COLOR=red,0,Pending,0,,,,apple,red\n",
  );
  expect(JSON.parse(text("json", parameters, row))).toEqual([
    {
      item: "FRUIT=apple COLOR=red",
      index: 0,
      values: { FRUIT: "apple", COLOR: "red" },
      state: "Pending",
      attempts: 0,
    },
  ]);
});

test("an empty result is valid JSON", () => {
  const { head, tail } = resultWriter("json", []);
  expect(JSON.parse(head + tail)).toEqual([]);
});

test("an object per line needs no brackets", () => {
  const result = resultOf({ index: 1, state: "Pending", attempts: [] }, "a");
  const row = { result, values: ["a"], log: undefined };
  expect(text("jsonl", ["ITEM"], row)).toBe(
    '{"item":"a","index":1,"state":"Pending","attempts":0}\n',
  );
});

function text(format: "csv" | "json" | "jsonl", parameters: readonly string[], row: ResultRow) {
  const writer = resultWriter(format, parameters);
  return writer.head + writer.row(row, true) + writer.tail;
}
