import fc from "fast-check";
import { expect, test } from "vitest";
import { formatIndexes, parseIndexes } from "../index-set.ts";
import { cutRanges } from "./item-history.ts";
import {
  chunkAt,
  chunkName,
  type ListHeader,
  MAX_CHUNK_BYTES,
  openChunk,
  parseHeader,
  storeList,
} from "./stored-list.ts";
import type { WorkList } from "./work-list.ts";

const PLACE = { name: "l", namespace: "default", kind: "ConfigMap" } as const;

function readBack(list: WorkList, kind: "ConfigMap" | "Secret"): readonly (readonly string[])[] {
  const objects = storeList(list, { ...PLACE, kind });
  const [first] = objects;
  const parsed = first && parseHeader(first);
  if (!parsed || "problem" in parsed) throw new Error("no header");
  const { header } = parsed;
  const chunks = objects.map((object, at) => {
    expect(object.metadata.name).toBe(chunkName("l", at));
    return openChunk(header, at, object);
  });
  return Array.from({ length: header.items }, (_, index) => {
    return chunks[chunkAt(header, index)]?.valuesAt(index) ?? [];
  });
}

test("values with any content survive ConfigMaps and Secrets", () => {
  const value = fc.string({ unit: "grapheme", maxLength: 20 });
  const rows = fc
    .integer({ min: 1, max: 3 })
    .chain((width) =>
      fc.array(fc.array(value, { minLength: width, maxLength: width }), { minLength: 1 }),
    );
  fc.assert(
    fc.property(rows, fc.constantFrom("ConfigMap" as const, "Secret" as const), (given, kind) => {
      const width = given[0]?.length ?? 0;
      const names = ["A", "B", "C"].slice(0, width);
      const columns = names.map((_, at) => given.map((row) => row[at] ?? ""));
      expect(readBack({ parameters: names, columns }, kind)).toEqual(given);
    }),
  );
});

test.each(["ConfigMap", "Secret"] as const)(
  "a long list is several %ss, none too large",
  (kind) => {
    const column = Array.from({ length: 30_000 }, (_, index) => `item-${index}-é${"x".repeat(40)}`);
    const list = { parameters: ["ITEM"], columns: [column] };
    const objects = storeList(list, { ...PLACE, kind });
    expect(objects.length).toBeGreaterThan(2);
    for (const { data = {} } of objects) {
      const bytes = Object.entries(data).reduce(
        (sum, [key, value]) => sum + key.length + Buffer.byteLength(value),
        0,
      );
      expect(bytes).toBeLessThan(MAX_CHUNK_BYTES + 1_000);
    }
    expect(readBack(list, kind).map(([value]) => value)).toEqual(column);
  },
);

test("a value that is larger than a chunk has its own object", () => {
  const column = ["a", "x".repeat(MAX_CHUNK_BYTES), "b"];
  expect(storeList({ parameters: ["ITEM"], columns: [column] }, PLACE)).toHaveLength(3);
});

const WHOLE = { rows: 100, jobs: [] };

test.each([
  [[0], 7, 0],
  [[0, 5, 9], 0, 0],
  [[0, 5, 9], 4, 0],
  [[0, 5, 9], 5, 1],
  [[0, 5, 9], 8, 1],
  [[0, 5, 9], 9, 2],
  [[0, 5, 9], 99, 2],
])("of objects that start with %j index %i is in number %i", (starts, index, at) => {
  const header: ListHeader = { ...WHOLE, parameters: ["A"], items: 100, starts };
  expect(chunkAt(header, index)).toBe(at);
});

test.each([
  ['{"parameters":[]}', 'must name its "parameters"'],
  ['{"parameters":["a b"]}', 'must name its "parameters"'],
  ['{"parameters":["A","A"]}', 'must name its "parameters"'],
  ['{"parameters":["A"],"starts":[1]}', '"starts" that are no indexes'],
  ['{"parameters":["A"],"items":9,"starts":[0,5,5]}', '"starts" that are no indexes'],
  ['{"parameters":["A"],"items":-1}', '"starts" that are no indexes'],
  ['{"parameters":["A"],"items":"9"}', '"starts" that are no indexes'],
  ['["A"]', "has no JSON object"],
])("a header %s is refused", (list, problem) => {
  const parsed = parseHeader({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "l" },
    data: { list, items: '"x"' },
  });
  expect("problem" in parsed ? parsed.problem : "").toContain(problem);
});

test.each(['["a"]', '"a', "{}", "1", '["a","b","c"]', '["a",1]'])(
  "a line %s is no item of two values",
  (items) => {
    const header: ListHeader = { ...WHOLE, parameters: ["A", "B"], items: 1, starts: [0] };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: { items } };
    expect(openChunk(header, 0, object).valuesAt(0)).toBe(undefined);
  },
);

test.each(["ConfigMap", "Secret"] as const)(
  "the past of a list is read back from its %ss, row by row",
  (kind) => {
    const count = 40_000;
    const column = Array.from({ length: count }, (_, index) => `item-${index}`);
    const kept = ["gone-1", "gone-2"];
    const ranges = Array.from({ length: count / 4 }, (_, at) => ({
      from: at * 4,
      to: at * 4 + 2,
      links: [{ job: at % 2, start: at * 7 }],
    }));
    const jobs = [
      { name: "run", uid: "first" },
      { name: "run", uid: "second" },
    ];
    const done = parseIndexes(`5-9,30000,${count + 1}`, count + 2);
    const past = { history: { jobs, ranges }, done, kept: [kept] };
    const objects = storeList(
      { parameters: ["ITEM"], columns: [column] },
      { ...PLACE, kind },
      past,
    );
    expect(objects.length).toBeGreaterThan(1);
    for (const { data = {} } of objects) {
      const bytes = Object.values(data).reduce((sum, value) => sum + value.length, 0);
      expect(bytes).toBeLessThan(MAX_CHUNK_BYTES * 1.1);
    }
    const [first] = objects;
    const parsed = first && parseHeader(first);
    if (!parsed || "problem" in parsed) throw new Error("no header");
    const { header } = parsed;
    expect(header).toMatchObject({ items: count, rows: count + 2, jobs });
    const chunks = objects.map((object, at) => openChunk(header, at, object));
    expect(chunks.flatMap((chunk) => chunk.ranges)).toEqual(
      ranges.flatMap((range) => cutAt(range, header.starts)),
    );
    expect(chunks.map((chunk) => formatIndexes(chunk.done)).join(",")).toMatch(
      /^5-9,.*30000,.*40001$/,
    );
    expect(chunks.at(-1)?.valuesAt(count + 1)).toEqual(["gone-2"]);
  },
);

type Range = ReturnType<typeof openChunk>["ranges"][number];

function cutAt(range: Range, starts: readonly number[]): readonly Range[] {
  const ends = [...starts.slice(1), Number.POSITIVE_INFINITY];
  return starts.flatMap((from, at) => cutRanges([range], { from, end: ends[at] ?? from }));
}
