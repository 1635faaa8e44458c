import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { decodeMessage, decodeProtobuf, encodeMessage } from "./protobuf.ts";
import { jsonFields, parseType, type Scalar } from "./tables.ts";

const LAWFUL = [
  "batch/v1.Job",
  "batch/v1.CronJob",
  "core/v1.Pod",
  "core/v1.Service",
  "core/v1.Node",
  "core/v1.Secret",
  "core/v1.Event",
  "core/v1.PersistentVolume",
  "apps/v1.StatefulSet",
  "apps/v1.ControllerRevision",
  "coordination/v1.Lease",
  "discovery/v1.EndpointSlice",
  "policy/v1.PodDisruptionBudget",
  "authentication/v1.TokenReview",
  "apiextensions/v1.CustomResourceDefinition",
  "meta/v1.Status",
  "meta/v1.DeleteOptions",
];

test.each(LAWFUL)("encoding and decoding a %s gives the same object", (messageName) => {
  fc.assert(
    fc.property(canonicalObject(messageName, 6), (object) => {
      const bytes = encodeMessage(object, messageName);
      expect(decodeMessage(messageName, bytes)).toStrictEqual(object);
    }),
    { numRuns: 60 },
  );
});

test.each(LAWFUL)("damaged bytes of a %s are decoded or rejected", (messageName) => {
  const damaged = fc
    .tuple(
      canonicalObject(messageName, 4),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      fc.nat(),
    )
    .map(([object, edits, cut]) => {
      const bytes = Uint8Array.from(encodeMessage(object, messageName));
      for (const [at, byte] of edits) bytes[at % (bytes.length || 1)] = byte;
      return cut % 3 === 0 ? bytes.subarray(0, cut % (bytes.length + 1)) : bytes;
    });
  fc.assert(
    fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 200 })), (bytes) => {
      expectReadOrRefused(() => decodeMessage(messageName, bytes));
      expectReadOrRefused(() => decodeProtobuf(bytes));
      const enveloped = Buffer.concat([Uint8Array.of(0x6b, 0x38, 0x73, 0x00), bytes]);
      expectReadOrRefused(() => decodeProtobuf(enveloped));
    }),
    { numRuns: 150 },
  );
});

function expectReadOrRefused(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe(400);
  }
}

/** Any canonical object of a message. Beyond the given depth it contains only what is required. */
function canonicalObject(messageName: string, depth: number): fc.Arbitrary<object> {
  const fields = [...jsonFields(messageName).values()].filter(({ number }) => number !== 0);
  const empty = decodeMessage(messageName, new Uint8Array());
  if (depth === 0) return fc.constant(empty);
  return fc
    .subarray(fields, { maxLength: Math.min(fields.length, 8) })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          chosen.map((field) => [field.json, canonicalValue(field.type, field.go, depth - 1)]),
        ),
      ),
    )
    .map((filled) => ({ ...empty, ...filled }));
}

function canonicalValue(reference: string, go: string, depth: number): fc.Arbitrary<unknown> {
  const type = parseType(reference);
  if (type.kind === "message") return canonicalObject(type.name, depth);
  if (type.kind === "list") {
    return fc.array(canonicalValue(type.element, go, depth), { minLength: 1, maxLength: 2 });
  }
  if (type.kind === "map") {
    const value = canonicalValue(type.element, go, depth);
    return fc.dictionary(fc.string({ minLength: 1, unit: "grapheme" }), value, {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    });
  }
  if (/JSONSchema(PropsOr|Dependencies)/.test(go)) return fc.constant({ type: "object" });
  return SCALAR_VALUES[type.name];
}

const seconds = fc.integer({ min: -2_000_000_000, max: 4_000_000_000 });

// No zeros: with omitempty they would not be canonical, and the cases above cover them.
const SCALAR_VALUES: { readonly [name in Scalar]: fc.Arbitrary<unknown> } = {
  string: fc.string({ minLength: 1, unit: "grapheme" }),
  bool: fc.constant(true),
  int32: fc.integer({ min: 1 }).chain((value) => fc.constantFrom(value, -value)),
  int64: fc.maxSafeInteger().filter((value) => value !== 0),
  float64: fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-9 }),
  bytes: fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((bytes) => Buffer.from(bytes).toString("base64")),
  Quantity: fc.constantFrom("1", "500m", "1Gi", "0"),
  IntOrString: fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.string()),
  Time: seconds.map((value) => new Date(value * 1000).toISOString().replace(".000Z", "Z")),
  MicroTime: fc
    .tuple(seconds, fc.nat(999_999))
    .map(([value, micros]) =>
      new Date(value * 1000).toISOString().replace(".000Z", `.${String(micros).padStart(6, "0")}Z`),
    ),
  RawExtension: fc.json().map((text) => JSON.parse(text) ?? 1),
  FieldsV1: fc.constant({ "f:spec": { "f:replicas": {} } }),
  JSON: fc.json().map((text) => JSON.parse(text) ?? 1),
};
