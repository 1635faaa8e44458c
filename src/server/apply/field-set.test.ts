import fc from "fast-check";
import { expect, test } from "vitest";
import {
  difference,
  equalSets,
  type FieldSet,
  hasPath,
  intersection,
  isEmptySet,
  NO_FIELDS,
  recursiveDifference,
  setOfPath,
  union,
} from "./field-set.ts";
import { formatPath, pathsOf, sortedSet } from "./path-element.ts";

const paths = fc.array(
  fc.array(fc.constantFrom("f:a", "f:b", 'k:{"name":"c"}', 'v:"d"'), {
    minLength: 1,
    maxLength: 3,
  }),
  { maxLength: 8 },
);

const setOf = (of: readonly string[][]): FieldSet =>
  of.reduce((all, path) => union(all, setOfPath(path)), NO_FIELDS);
const textOf = (of: Iterable<string[]>): string[] => [...new Set([...of].map(formatPath))].sort();
const members = (set: FieldSet): string[] => textOf(pathsOf(set));

test("field sets follow the laws of sets", () => {
  fc.assert(
    fc.property(paths, paths, (one, other) => {
      const [mine, theirs] = [setOf(one), setOf(other)];
      const [ours, others] = [new Set(textOf(one)), new Set(textOf(other))];
      expect(members(mine)).toEqual([...ours].sort());
      expect(members(union(mine, theirs))).toEqual([...new Set([...ours, ...others])].sort());
      expect(members(difference(mine, theirs))).toEqual(
        [...ours].filter((p) => !others.has(p)).sort(),
      );
      expect(members(intersection(mine, theirs))).toEqual(
        [...ours].filter((p) => others.has(p)).sort(),
      );
      expect(isEmptySet(difference(mine, mine))).toBe(true);
      expect(equalSets(union(mine, theirs), union(theirs, mine))).toBe(true);
      expect(equalSets(sortedSet(mine), mine)).toBe(true);
      for (const path of one) expect(hasPath(mine, path)).toBe(true);
    }),
  );
});

test("recursiveDifference also removes everything below a member", () => {
  const set = setOf([["f:a", "f:b"], ["f:a"], ["f:c", "f:b"]]);
  expect(recursiveDifference(set, setOfPath(["f:a"]))).toEqual({ "f:c": { "f:b": {} } });
  expect(difference(set, setOfPath(["f:a"]))).toEqual({
    "f:a": { "f:b": {} },
    "f:c": { "f:b": {} },
  });
});

test("elements are sorted: fields, keys, values, indexes; numbers by size", () => {
  const set = { "i:10": {}, "i:2": {}, 'v:"b"': {}, 'k:{"p":80}': {}, 'k:{"p":9}': {}, "f:z": {} };
  expect(Object.keys(sortedSet(set))).toEqual([
    "f:z",
    'k:{"p":9}',
    'k:{"p":80}',
    'v:"b"',
    "i:2",
    "i:10",
  ]);
});
