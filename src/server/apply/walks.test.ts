import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../api/object.ts";
import { fieldSchemaOf } from "../../api/schema/field-schema.ts";
import { compare } from "./compare.ts";
import { difference, isEmptySet, union } from "./field-set.ts";
import { findMismatches } from "./find-mismatches.ts";
import { mergeValues } from "./merge-values.ts";
import { removeFields } from "./remove-fields.ts";
import { toFieldSet } from "./to-field-set.ts";
import { equalValues } from "./value.ts";

const POD = fieldSchemaOf("core/v1.Pod");

/** Parts of pods with every kind of field: scalars, structs, maps, and all kinds of lists. */
const pods: fc.Arbitrary<Json> = fc.record(
  {
    metadata: fc.record(
      {
        labels: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2")),
        finalizers: fc.uniqueArray(fc.constantFrom("x/a", "x/b", "x/c")),
      },
      { requiredKeys: [] },
    ),
    spec: fc.record(
      {
        nodeSelector: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "2")),
        containers: fc.uniqueArray(
          fc.record(
            {
              name: fc.constantFrom("c", "d", "e"),
              image: fc.constantFrom("i", "j"),
              args: fc.array(fc.constantFrom("x", "y"), { maxLength: 2 }),
              ports: fc.uniqueArray(
                fc.record(
                  {
                    containerPort: fc.constantFrom(80, 90),
                    protocol: fc.constantFrom("TCP", "UDP"),
                  },
                  { requiredKeys: ["containerPort"] },
                ),
                {
                  selector: ({ containerPort, protocol = "TCP" }) => `${containerPort}${protocol}`,
                },
              ),
            },
            { requiredKeys: ["name"] },
          ),
          { selector: ({ name }) => name, maxLength: 3 },
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Json>;

test("comparing an object with a copy finds no difference", () => {
  fc.assert(
    fc.property(pods, (pod) => {
      const changes = compare(POD, pod, structuredClone(pod));
      expect(Object.values(changes).every(isEmptySet)).toBe(true);
    }),
  );
});

test("fields added in one direction are removed in the other", () => {
  fc.assert(
    fc.property(pods, pods, (one, other) => {
      const [there, back] = [compare(POD, one, other), compare(POD, other, one)];
      expect(there.added).toEqual(back.removed);
      expect(there.modified).toEqual(back.modified);
    }),
  );
});

test("creating an object adds at least the fields it contains", () => {
  fc.assert(
    fc.property(pods, (pod) => {
      const { added } = compare(POD, {}, pod);
      expect(isEmptySet(difference(toFieldSet(POD, pod), added))).toBe(true);
    }),
  );
});

test("applying twice equals applying once, and the object has the applied values", () => {
  fc.assert(
    fc.property(pods, pods, (live, config) => {
      const merged = mergeValues(POD, live, config) ?? {};
      expect(mergeValues(POD, merged, config)).toEqual(merged);
      const said = toFieldSet(POD, config);
      const { modified, removed } = compare(POD, config, merged);
      const lost = difference(said, difference(said, union(modified, removed)));
      expect(isEmptySet(lost)).toBe(true);
    }),
  );
});

test("removing all fields leaves no values", () => {
  fc.assert(
    fc.property(pods, (pod) => {
      const left = removeFields(POD, pod, toFieldSet(POD, pod));
      const { added } = compare(POD, {}, left ?? {});
      // Only empty structs, and lists that were empty.
      expect(toFieldSet(POD, removeFields(POD, left, added) ?? {})).toEqual({});
    }),
  );
});

test.each<[string, Json, Json, Json]>([
  ["new items come last", [{ name: "a" }], [{ name: "b" }], ["a", "b"]],
  ["the order of the configuration counts", list("a", "b"), list("b", "a"), ["b", "a"]],
  [
    "other items stay before the items they preceded",
    list("x", "a", "b"),
    list("b", "a"),
    ["x", "b", "a"],
  ],
  [
    "other items stay after the items they followed",
    list("a", "x", "b"),
    list("a", "b"),
    ["a", "x", "b"],
  ],
  ["new items come between", list("a", "x", "c"), list("a", "b", "c"), ["a", "x", "b", "c"]],
  [
    "other items stay after the first item that moved",
    list("a", "b", "c", "x"),
    list("c", "b"),
    ["a", "c", "x", "b"],
  ],
])("items of a list with keys: %s", (_, live, config, expected) => {
  const spec = (containers: Json) => ({ spec: { containers } });
  const merged = mergeValues(POD, spec(live), spec(config)) as {
    spec: { containers: { name: string }[] };
  };
  expect(merged.spec.containers.map(({ name }) => name)).toEqual(expected);
});

function list(...names: string[]): Json {
  return names.map((name) => ({ name }));
}

test.each<[string, Json, string[]]>([
  ["an undeclared field", { foo: 1 }, [".foo: field not declared in schema"]],
  [
    "a number instead of a string",
    { metadata: { labels: { a: 1 } } },
    [".metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}"],
  ],
  [
    "a string instead of a number",
    { spec: { priority: "1" } },
    [".spec.priority: expected numeric (int or float), got string"],
  ],
  [
    "a string instead of a boolean",
    { spec: { hostPID: "x" } },
    [".spec.hostPID: expected boolean, got &{x}"],
  ],
  [
    "a map instead of a list",
    { spec: { containers: {} } },
    [".spec.containers: expected list, got &{map[]}"],
  ],
  ["a list instead of a map", { spec: [] }, [".spec: expected map, got &{[]}"]],
  [
    "a duplicate item",
    { spec: { containers: [{ name: "c" }, { name: "c" }] } },
    ['.spec.containers: duplicate entries for key [name="c"]'],
  ],
  [
    "an item that is not a map",
    { spec: { containers: ["c"] } },
    [".spec.containers: element 0: associative list with keys may not have non-map elements"],
  ],
  ["a quantity may be a number", { spec: { overhead: { cpu: 1 } } }, []],
  ["null fits every type", { spec: { containers: null, priority: null } }, []],
])("%s", (_, config, expected) => {
  expect(findMismatches(POD, config)).toEqual(expected);
});

test("absent, null and empty are different values", () => {
  expect(equalValues({ a: null }, {})).toBe(false);
  expect(equalValues({ a: [] }, { a: null })).toBe(false);
  expect(equalValues({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toBe(true);
});
