import fc from "fast-check";
import { expect, test } from "vitest";
import { formatFinding } from "../../api/finding.ts";
import type { ObjectMeta } from "../../api/generated/meta.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import {
  validateCommonMeta,
  validateCommonMetaUpdate,
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./object-meta.ts";

const named: ObjectMeta = { name: "a", namespace: "default" };
const stored: ObjectMeta = { ...named, uid: "u", resourceVersion: "7" };
const rules = { namespaced: true, nameRule: dns1123Subdomain };

function problems(meta: ObjectMeta): string[] {
  return validateObjectMeta(meta, rules).map(formatFinding);
}

function changes(next: ObjectMeta, old: ObjectMeta): string[] {
  return validateObjectMetaUpdate(next, old).map(formatFinding);
}

const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };

test.each<[string, ObjectMeta, string[]]>([
  ["a name and a namespace are enough", named, []],
  [
    "a name is required",
    { namespace: "default" },
    ["metadata.name: Required value: name or generateName is required"],
  ],
  ["a namespace is required", { name: "a" }, ["metadata.namespace: Required value"]],
  [
    "a generation must not be negative",
    { ...named, generation: -1 },
    ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    "a finalizer must be qualified with a domain",
    { ...named, finalizers: ["orphan", "example.com/x", "mine"] },
    [
      'metadata.finalizers[2]: Invalid value: "mine": ' +
        "name is neither a standard finalizer name nor is it fully qualified",
    ],
  ],
  [
    "dependents are either orphaned or deleted",
    { ...named, finalizers: ["orphan", "foregroundDeletion"] },
    [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: ' +
        "finalizer orphan and foregroundDeletion cannot be both set",
    ],
  ],
  [
    "an owner has an apiVersion of one group and one version",
    { ...named, ownerReferences: [{ ...owner, apiVersion: "a/b/c" }] },
    ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'],
  ],
  [
    "an event cannot be an owner",
    { ...named, ownerReferences: [{ ...owner, kind: "Event" }] },
    [
      "metadata.ownerReferences: Invalid value: " +
        '{"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: ' +
        "/v1, Kind=Event is disallowed from being an owner",
    ],
  ],
  [
    "managed fields are written by Apply or Update, in one format",
    { ...named, managedFields: [{ operation: "Read", fieldsType: "FieldsV2" }] },
    [
      'metadata.managedFields[0].operation: Invalid value: "Read": must be `Apply` or `Update`',
      'metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
    ],
  ],
])("%s", (_, meta, expected) => {
  expect(problems(meta)).toEqual(expected);
});

test("an object can have only one controller", () => {
  const ownerReferences = ["p", "q"].map((name) => ({ ...owner, name, controller: true }));
  expect(problems({ ...named, ownerReferences })).toEqual([
    expect.stringMatching(/Found "true" in references for Pod\/p and Pod\/q$/),
  ]);
});

test("a cluster-scoped object has no namespace", () => {
  expect(validateCommonMeta(named, false).map(formatFinding)).toEqual([
    "metadata.namespace: Forbidden: not allowed on this type",
  ]);
});

test.each<[string, ObjectMeta, ObjectMeta, string[]]>([
  ["nothing changed", stored, stored, []],
  [
    "the revision must be known",
    { ...named, uid: "u" },
    stored,
    ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
  ],
  [
    "the identity is immutable",
    { ...stored, uid: "v" },
    stored,
    ['metadata.uid: Invalid value: "v": field is immutable'],
  ],
  [
    "the grace period is immutable",
    { ...stored, deletionGracePeriodSeconds: 9 },
    { ...stored, deletionGracePeriodSeconds: 0 },
    ["metadata.deletionGracePeriodSeconds: Invalid value: 9: field is immutable"],
  ],
  [
    "a generation only grows",
    { ...stored, generation: 1 },
    { ...stored, generation: 2 },
    ["metadata.generation: Invalid value: 1: must not be decremented"],
  ],
  [
    "an object being deleted cannot get new finalizers",
    { ...stored, deletionTimestamp: "t", finalizers: ["x.io/b", "x.io/c", "x.io/a"] },
    { ...stored, deletionTimestamp: "t", finalizers: ["x.io/a"] },
    [
      "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being " +
        'deleted, found new finalizers []string{"x.io/b", "x.io/c"}',
    ],
  ],
])("on update: %s", (_, next, old, expected) => {
  expect(changes(next, old)).toEqual(expected);
});

test("on an update metadata is validated twice, and finalizers by the kind", () => {
  const next = { ...stored, labels: { a: "!" }, finalizers: ["mine"] };
  const found = validateCommonMetaUpdate(next, stored, true).map(({ field }) => field);
  expect(found).toEqual(["metadata.labels", "metadata.labels"]);
});

test("a field manager is short and printable; positions are counted in bytes", () => {
  expect(validateFieldManager("kubectl", "m")).toEqual([]);
  expect(validateFieldManager("ä\t", "m").map(formatFinding)).toEqual([
    'm: Invalid value: "ä\\t": invalid character U+0009 (at position 2)',
  ]);
  expect(validateFieldManager("x".repeat(129), "m").map(formatFinding)).toEqual([
    "m: Too long: may not be more than 128 bytes",
  ]);
});

test("metadata that is valid on creation is valid in an update that changes nothing", () => {
  const meta = fc.record(
    {
      labels: fc.dictionary(fc.string(), fc.string()),
      annotations: fc.dictionary(fc.string(), fc.string()),
      finalizers: fc.array(fc.constantFrom("orphan", "a.io/b", "mine")),
      generation: fc.integer({ min: -1, max: 3 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(meta, (fields) => {
      const object = { ...stored, ...fields } as ObjectMeta;
      if (problems(object).length === 0) expect(changes(object, object)).toEqual([]);
    }),
  );
});
