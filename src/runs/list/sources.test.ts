import fc from "fast-check";
import { expect, test } from "vitest";
import { batchList } from "./batch.ts";
import { decodeInput } from "./input.ts";
import { parseJsonLines } from "./json-lines.ts";
import { parseLines, parseNulSeparated } from "./lines.ts";
import { combine, splitSources } from "./products.ts";
import { parseRange } from "./range.ts";
import { parseCsv, parseTsv } from "./table.ts";
import { parseFileValues, parseNamedValues, parseTypedValues } from "./values.ts";

const text = (content: string) => ({ source: "f", text: content });

test.each([
  ["", []],
  ["a\nb\n", ["a", "b"]],
  ["a\nb", ["a", "b"]],
  ["a b\n\n  c\n", ["a b", "  c"]],
  ["a\r\nb\r\n", ["a", "b"]],
])("lines of %j are items, empty ones are none", (content, items) => {
  expect(parseLines(text(content))).toEqual(items);
});

test.each([
  ["", []],
  ["a\0b\0", ["a", "b"]],
  ["a\nb\0c", ["a\nb", "c"]],
  ["a\0\0b\0", ["a", "", "b"]],
])("NUL bytes separate %j", (content, items) => {
  expect(parseNulSeparated(text(content))).toEqual(items);
});

test("a NUL byte in a line is rejected with its position", () => {
  expect(() => parseLines(text("a\nbé\0c\n"))).toThrow("f, line 2, byte 4: a NUL byte");
});

test.each<[string, number[], string]>([
  ["a lone byte", [0x61, 0x0a, 0x62, 0xff, 0x0a], "f, line 2, byte 2"],
  ["a character cut short", [0xc3, 0xa9, 0x0a, 0x0a, 0xe2, 0x82], "f, line 3, byte 1"],
  ["a surrogate", [0x61, 0xed, 0xa0, 0x80], "f, line 1, byte 2"],
  ["an overlong form", [0xc0, 0x80], "f, line 1, byte 1"],
])("%s is refused with line and byte", (_, bytes, place) => {
  const input = { source: "f", bytes: new Uint8Array(bytes) };
  expect(() => decodeInput(input)).toThrow(`${place}: this is not UTF-8`);
});

test("a byte order mark is not part of the first item", () => {
  const bytes = new TextEncoder().encode("\uFEFFa\n");
  expect(decodeInput({ source: "f", bytes }).text).toBe("a\n");
});

const WORDS = { byLines: false, mayBeEmpty: false };

test.each([
  ["12342.dat 97283.dat 38732.dat", ["12342.dat", "97283.dat", "38732.dat"]],
  ["  a\tb\nc  ", ["a", "b", "c"]],
  ["a '' c", ["a", "", "c"]],
  ["", []],
])("typed values %j are split at spaces and newlines", (given, values) => {
  expect(parseTypedValues(given, WORDS)).toEqual(values);
});

test("with --lines values on the command line keep spaces and may be empty", () => {
  const rules = { byLines: true, mayBeEmpty: false };
  expect(parseTypedValues("a b\n\nc", rules)).toEqual(["a b", "", "c"]);
});

test.each<[string, boolean, boolean, string[]]>([
  ["one two three\n", false, false, ["one", "two", "three"]],
  ["one two three\n", true, false, ["one two three"]],
  ["one two\nthree\n", false, false, ["one two", "three"]],
  ["one\n\nthree\n", true, false, ["one", "", "three"]],
  ["one\n\nthree\n", false, true, ["one", "", "three"]],
  ["", false, false, []],
])("a file %j has its values (lines %s, empty %s)", (content, byLines, mayBeEmpty, values) => {
  expect(parseFileValues(text(content), { byLines, mayBeEmpty })).toEqual(values);
});

test("an empty line among values is rejected with its position", () => {
  expect(() => parseFileValues(text("a\nb\n\nc\n"), WORDS)).toThrow(
    "f, line 3: the line is empty; with --lines it is an empty value",
  );
});

test.each([
  ["F=a b", { name: "F", values: { kind: "text", text: "a b" } }],
  ["F=@list.txt", { name: "F", values: { kind: "file", file: "list.txt" } }],
  ["F=a=b", { name: "F", values: { kind: "text", text: "a=b" } }],
])("%s names its values", (given, parsed) => {
  expect(parseNamedValues(given)).toEqual(parsed);
});

test.each(["F", "=a", "1F=a", "A-B=a", ""])("%j names nothing", (given) => {
  expect(() => parseNamedValues(given)).toThrow("--per-completion-env must be KEY=");
});

test.each([
  ["1-3", ["1", "2", "3"]],
  ["1..3", ["1", "2", "3"]],
  ["5", ["5"]],
  ["0-10:5", ["0", "5", "10"]],
  ["1,3,7-9", ["1", "3", "7", "8", "9"]],
  ["08-10", ["08", "09", "10"]],
  ["-2-1", ["-2", "-1", "0", "1"]],
])("the range %s is %j", (given, numbers) => {
  expect(parseRange(given)).toEqual(numbers);
});

test.each([
  ["", "must be like"],
  ["a-b", "must be like"],
  ["1-5:0", "must be like"],
  ["1-", "must be like"],
  ["5-1", "goes up"],
  ["1-99999999999999999999", "must be like"],
  ["1-999999999", "more than 10000000 numbers"],
])("the range %j is refused", (given, problem) => {
  expect(() => parseRange(given)).toThrow(problem);
});

test("a table has named columns", () => {
  const { list } = parseCsv(text('FILE,SIZE\na.txt,3\n"b, ""c""\nd.txt",4\r\n'));
  expect(list).toEqual({
    parameters: ["FILE", "SIZE"],
    columns: [
      ["a.txt", 'b, "c"\nd.txt'],
      ["3", "4"],
    ],
  });
});

test("quotes in a TSV file have no special meaning", () => {
  const { list } = parseTsv(text('A\tB\n"x\ty"\n'));
  expect(list.columns).toEqual([['"x'], ['y"']]);
});

test("a column whose name is not a valid variable name is renamed, with a notice", () => {
  const { list, notices } = parseCsv(text("file name,2nd\na,b\n"));
  expect(list.parameters).toEqual(["file_name", "_2nd"]);
  expect(notices).toEqual([
    'the column "file name" is {file_name} here',
    'the column "2nd" is {_2nd} here',
  ]);
});

test.each([
  ["", "f is empty: its first line must name the columns"],
  ["A,B\n1,2\n3\n", "f, line 3: there is 1 field, and the header has 2"],
  ['A,B\n"x\ny",2\n1,2,3\n', "f, line 4: there are 3 fields, and the header has 2"],
  ["A,A\n", "f, line 1: two columns are named A"],
  ["A,\n", "f, line 1: column 2 needs a name"],
  ['A\n"x\n', "f, line 2: the quote is never closed"],
  ['A\n"x"y\n', "f, line 2: there is more after the closing quote"],
  ['A\nx"y\n', "f, line 2: a quote inside a field"],
])("the table %j is refused: %s", (content, problem) => {
  expect(() => parseCsv(text(content))).toThrow(problem);
});

test("fields with any content survive CSV", () => {
  const field = fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0"));
  const rows = fc.array(fc.tuple(field, field), { minLength: 1 });
  const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(rows, fc.constantFrom("\n", "\r\n"), (given, newline) => {
      const lines = given.map((row) => row.map(quoted).join(","));
      const { list } = parseCsv(text(["A,B", ...lines].join(newline)));
      expect(list.columns).toEqual([given.map(([a]) => a), given.map(([, b]) => b)]);
    }),
  );
});

test("fields of JSON objects are parameters, with numbers as they are written", () => {
  const lines = [
    '{"F": "a b", "N": 12345678901234567890, "O": {"x": [1, 2.50]}, "E": null}',
    "",
    '{"E": true, "O": "}", "N": 1e3, "F": ""}',
  ];
  expect(parseJsonLines(text(lines.join("\n")))).toEqual({
    parameters: ["F", "N", "O", "E"],
    columns: [
      ["a b", ""],
      ["12345678901234567890", "1e3"],
      ['{"x": [1, 2.50]}', "}"],
      ["", "true"],
    ],
  });
});

test("JSON strings and numbers are items", () => {
  expect(parseJsonLines(text('"a\\nb"\n 1.0 \n[1, 2]\n'))).toEqual({
    parameters: ["ITEM"],
    columns: [["a\nb", "1.0", "[1, 2]"]],
  });
});

test.each([
  ['{"A": 1}\n{"A": 1', "f, line 2: this is not JSON"],
  ['{"A": 1}\n{"B": 1}', 'f, line 2: has no "A", unlike the first line'],
  ['{"A": 1}\n{"A": 1, "B": 2}', 'f, line 2: has "B", unlike the first line'],
  ['{"a b": 1}', 'f, line 1: the field "a b" must be named like a shell variable'],
  ["{}", "f, line 1: an object without fields is no item"],
])("the JSON lines %j are refused: %s", (content, problem) => {
  expect(() => parseJsonLines(text(content))).toThrow(problem);
});

test("lists after the command are split off", () => {
  const words = ["echo", "{1}", ":::", "a", "b", ":::+", "x", "y", "::::", "list.txt"];
  expect(splitSources(words)).toEqual({
    command: ["echo", "{1}"],
    sources: [
      { separator: ":::", isLinked: false, areFiles: false, words: ["a", "b"] },
      { separator: ":::+", isLinked: true, areFiles: false, words: ["x", "y"] },
      { separator: "::::", isLinked: false, areFiles: true, words: ["list.txt"] },
    ],
  });
});

test.each([
  [["echo", ":::"], "there is nothing after :::"],
  [["echo", ":::+", "a"], ":::+ goes along with a list before it, and there is none"],
])("%j is refused", (words, problem) => {
  expect(() => splitSources(words)).toThrow(problem);
});

test("lists are combined, the last one changing fastest, and linked lists stay together", () => {
  const { parameters, columns } = combine([
    { isLinked: false, values: ["a", "b"] },
    { isLinked: true, values: ["A", "B"] },
    { isLinked: false, values: ["1", "2", "3"] },
  ]);
  expect(parameters).toEqual(["ITEM_1", "ITEM_2", "ITEM_3"]);
  expect(columns.map((column) => column.join(""))).toEqual(["aaabbb", "AAABBB", "123123"]);
});

test("one list is the item itself", () => {
  expect(combine([{ isLinked: false, values: ["a"] }]).parameters).toEqual(["ITEM"]);
});

test("linked lists of different lengths are rejected with both lengths", () => {
  const lists = [
    { isLinked: false, values: ["a", "b"] },
    { isLinked: true, values: ["1"] },
  ];
  expect(() => combine(lists)).toThrow(
    "list 1 has 2 values and list 2, which goes along with it, has 1: they must be equally many",
  );
});

test("a batch has one value per line, and parameters for the first and last", () => {
  const numbers = { parameters: ["FRAME"], columns: [["1", "2", "3", "4", "5"]] };
  expect(batchList(numbers, 2)).toEqual({
    parameters: ["FRAME", "FRAME_FIRST", "FRAME_LAST"],
    columns: [
      ["1\n2", "3\n4", "5"],
      ["1", "3", "5"],
      ["2", "4", "5"],
    ],
    derived: ["FRAME_FIRST", "FRAME_LAST"],
    isBatched: true,
  });
});

test("an item with a newline cannot be in a batch", () => {
  const list = { parameters: ["F"], columns: [["a", "b\nc"]] };
  expect(() => batchList(list, 2)).toThrow("item 1 has a newline in F");
});
