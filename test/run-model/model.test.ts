/** The model accepts what is right and sees each kind of wrong, in histories made up by hand. */
import { expect, test } from "vitest";
import type { Begin, End, History, JournalLine, LegSeen, Reports } from "./history.ts";
import { judge } from "./model.ts";
import { EASY, type Flags, type Leg, type LegCommand, type Story, taskNames } from "./story.ts";

const FLAGS: Flags = { jobs: 1, retries: 1, keepOrder: true, output: "text" };
const PLACE = { word: "w1", umask: "0022", files: "1", directory: "here" };
const task = (value: string) => `one ["${value}"] 1`;
const KEYS = new Map(["a", "b", "c"].map((value, key) => [task(value), key]));

const begin = (value: string, index: number, more: Partial<Begin> = {}): Begin => ({
  ...{ kind: "begin", task: task(value), run: "one", version: 0, index, attempt: 1 },
  ...{ pid: 10 + index, slot: 5, place: PLACE, values: [value] },
  ...more,
});
const end = (value: string, code = 0, attempt = 1): End => {
  return { kind: "end", task: task(value), attempt, code };
};
const run = (values: string, mode: "new" | "resume" = "new", more: Partial<Flags> = {}) => {
  const list = { values: [...values], batch: 1, tag: 0 };
  return { kind: "run", mode, list, flags: { ...FLAGS, ...more } } as const;
};

function leg(command: LegCommand, more: Partial<LegSeen> = {}): LegSeen {
  const asked: Leg = { run: "one", command, place: 1, release: { at: "start" } };
  const version = command.kind === "run" ? { version: 0 } : {};
  const seen = { leg: asked, step: 0, from: 0, to: 1000, code: 0, out: "", error: "" };
  return { ...seen, ...version, place: PLACE, ...more };
}

function judged(journal: readonly JournalLine[], legs: readonly LegSeen[]): readonly string[] {
  const story: Story = { seed: 0, plans: {}, steps: [] };
  const history: History = { journal, legs, left: [] };
  return [...new Set(judge(story, history, KEYS).map(({ kind }) => kind))];
}

const AB = [begin("a", 0), end("a"), begin("b", 1), end("b")];
const OUT = "<0.1.1>\n<1.1.1>\n";

const ROWS = ["a", "b"].map((item, index) => {
  return { item, index, state: "Succeeded", attempts: 1, exit: 0 };
});
const STATUS = { state: "Succeeded", total: 2, succeeded: 2, failed: 0 };
const REPORTS: Reports = {
  results: ROWS,
  status: STATUS,
  listed: STATUS,
  logs: "<0.1.1><0.1.e><1.1.1><1.1.e>",
};
const whole = (more: Partial<Reports> = {}) =>
  leg(run("ab"), { out: OUT, reports: { ...REPORTS, ...more } });

test("a run in which all goes well is right", () => {
  expect(judged(AB, [whole()])).toEqual([]);
});

const other = (index: number, more: object) =>
  ROWS.map((row) => (row.index === index ? { ...row, ...more } : row));

test.each<[string, readonly JournalLine[], LegSeen]>([
  ["order", [begin("b", 1), end("b"), begin("a", 0), end("a")], leg(run("ab"), { out: OUT })],
  ["too many at once", [begin("a", 0), begin("b", 1), end("a"), end("b")], whole()],
  [
    "two at once",
    [begin("a", 0), begin("a", 0, { attempt: 2 }), ...AB.slice(1), end("a", 0, 2)],
    whole(),
  ],
  ["again after success", [...AB, begin("a", 0, { attempt: 2 }), end("a", 0, 2)], whole()],
  ["not run to its end", AB.slice(0, 2), whole()],
  ["task was ended", AB.slice(0, 3), whole()],
  ["exit code", AB, leg(run("ab"), { out: OUT, code: 1 })],
  ["given up early", [begin("a", 0), end("a", 3)], leg(run("a"), { out: OUT, code: 1 })],
  ["command fails", AB, leg(run("ab"), { code: 125 })],
  ["died", AB, leg(run("ab"), { code: null })],
  ["wrong item", [begin("a", 0, { values: ["x"] }), ...AB.slice(1)], whole()],
  ["surroundings", [begin("a", 0, { place: { ...PLACE, word: "w2" } }), ...AB.slice(1)], whole()],
  ["begins of another list", [begin("a", 0, { version: 7 }), ...AB.slice(1)], whole()],
  ["not printed", AB, leg(run("ab"), { out: "<0.1.1>\n" })],
  ["printed out of order", AB, leg(run("ab"), { out: "<1.1.1>\n<0.1.1>\n" })],
  ["printed in part", AB, leg(run("ab"), { out: `${OUT}<1.1.2>\n` })],
  ["printed", AB, leg(run("ab"), { out: `${OUT}<2.1.1>\n` })],
  ["results", AB, whole({ results: ROWS.slice(1) })],
  ["result state", AB, whole({ results: other(1, { state: "Pending" }) })],
  ["result attempts", AB, whole({ results: other(1, { attempts: 2 }) })],
  ["result exit", AB, whole({ results: other(1, { exit: 3 }) })],
  ["counts of status", AB, whole({ status: { ...STATUS, failed: 1 } })],
  ["counts of list", AB, whole({ listed: { ...STATUS, succeeded: 1 } })],
  ["logs", AB, whole({ logs: "<1.1.1><1.1.e><0.1.1><0.1.e>" })],
  [
    "order of starts",
    AB,
    whole({
      results: [
        { ...ROWS[0], start: "2026-01-02" },
        { ...ROWS[1], start: "2026-01-01" },
      ] as never,
    }),
  ],
])("the model sees: %s", (kind, journal, seen) => {
  expect(judged(journal, [seen])).toContain(kind);
});

const killed = (act: "kill cli" | "kill all", slots: readonly number[], at: number) => {
  return leg(run("ab"), { code: null, to: at, interrupted: { act, from: at, to: at, slots } });
};
const resumed = (from: number, out: string, values = "ab", version = 0) =>
  leg(run(values, "resume"), { from, out, version, step: 1 });

test("an item that was running when the command was killed is not run again", () => {
  const legs = [killed("kill cli", [], 1), resumed(1, "<1.1.1>")];
  expect(judged(AB, legs)).toEqual([]);
  const twice = [begin("a", 0), end("a"), begin("a", 0, { attempt: 2 }), end("a", 0, 2)];
  expect(judged([...twice, ...AB.slice(2)], legs)).toContain("again after success");
});

test("an item whose end nobody could record is run again", () => {
  const again = [begin("a", 0, { attempt: 2, slot: 6 }), end("a", 0, 2)];
  const lines = [begin("a", 0), ...again, begin("b", 1, { slot: 6 }), end("b")];
  const legs = [killed("kill all", [5], 1), resumed(1, "<0.2.1><1.1.1>")];
  expect(judged(lines, legs)).toEqual([]);
  expect(judged([begin("a", 0), ...lines.slice(3)], legs)).toContain("not run to its end");
});

test("a list that was edited goes on where the other one ended", () => {
  const lines = [...AB, begin("c", 0, { version: 1 }), end("c")];
  const legs = [killed("kill cli", [], 4), resumed(4, "<2.1.1>", "cab", 1)];
  expect(judged(lines, legs)).toEqual([]);
  expect(
    judged([...lines, begin("a", 1, { version: 1, attempt: 2 }), end("a", 0, 2)], legs),
  ).toContain("again after success");
});

test("an item that was stopped on request does not count", () => {
  const interrupted = { act: "interrupt twice" as const, from: 1, to: 1, slots: [] };
  const results = [{ item: "a", index: 0, state: "Pending", attempts: 0 }];
  const status = { state: "Stopped", total: 1, succeeded: 0, failed: 0 };
  const stopped = (attempts: number) => {
    const rows = results.map((row) => ({ ...row, attempts }));
    const reports = { results: rows, status, listed: status, logs: "" };
    return leg(run("a"), { code: 130, interrupted, reports });
  };
  expect(judged([begin("a", 0), end("a", 143)], [stopped(0)])).toEqual([]);
  expect(judged([begin("a", 0), end("a", 143)], [stopped(1)])).toEqual(["result attempts"]);
});

test("equal values are told apart by how often they came before", () => {
  const list = { values: ["x", "y", "x"], batch: 1, tag: 0 };
  expect(taskNames("r", list)).toEqual(['r ["x"] 1', 'r ["y"] 1', 'r ["x"] 2']);
  expect(taskNames("r", { ...list, batch: 2 })).toEqual(['r ["x","y"] 1', 'r ["x"] 1']);
  expect(EASY.code).toBe(0);
});

test("a task that begins after its slot was killed is lost, and runs again", () => {
  const interrupted = { act: "kill slot" as const, from: 0, to: 0, slots: [5] };
  const orphan = begin("a", 0, { slot: 1 });
  const rerun = [begin("a", 0, { attempt: 2, slot: 6 }), end("a", 0, 2)];
  const journal = [orphan, end("a", 3), ...rerun, begin("b", 1, { slot: 6 }), end("b")];
  expect(judged(journal, [leg(run("ab"), { out: "<0.2.1>\n<1.1.1>\n", interrupted })])).toEqual([]);
});

test.each([
  ["NotRun", []],
  ["Succeeded", ["result state", "counts of status", "counts of list"]],
])("an item that was asked for again and not begun is not run: %s", (state, expected) => {
  const flags = { retries: 0, halt: "soon", maxFailed: 0 } as const;
  const first = leg(run("ab", "new", flags), { to: 4, out: OUT });
  const again = [begin("a", 0, { attempt: 2 }), end("a", 3, 2)];
  const results = [
    { item: "a", index: 0, state: "Failed", attempts: 2, exit: 3 },
    { item: "b", index: 1, state, attempts: 1, exit: 0 },
  ];
  const status = { state: "Failed", total: 2, succeeded: 0, failed: 1 };
  const logs = "<0.2.1><0.2.e><1.1.1><1.1.e>";
  const retry = leg(
    { kind: "retry", indexes: [0, 1] },
    { from: 4, code: 1, out: "<0.2.1>\n", reports: { results, status, listed: status, logs } },
  );
  expect(judged([...AB, ...again], [first, retry])).toEqual(expected);
});
