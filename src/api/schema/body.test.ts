import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { decodeBody, decodeDeleteOptions, strictDecodingError } from "./body.ts";
import { findMessageOfKind } from "./tables.ts";

const JOB = { group: "batch", version: "v1", kind: "Job", message: "batch/v1.Job" };
const KIND_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
  'Kind string "json:\\"kind,omitempty\\"" }';

function decode(text: string, mediaType: "json" | "yaml" = "json") {
  const bytes = new TextEncoder().encode(text);
  return decodeBody({ bytes, mediaType }, JOB, (kind) => findMessageOfKind(kind) !== undefined);
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return error.message;
    throw error;
  }
  throw new Error("was not refused");
}

const UNRECOGNIZED = "the object provided is unrecognized (must be of type Job): ";
const NO_KIND = `${UNRECOGNIZED}couldn't get version/kind; json parse error: `;
const AS_A_JOB = ' in version "v1" cannot be handled as a Job: ';

test.each([
  ["", `${NO_KIND}unexpected end of JSON input (<empty>)`],
  [
    '{"apiVersion":"batch/v1","kind":"Job",',
    `${NO_KIND}unexpected end of JSON input ({"apiVersion":"batch/v1","kind ...)`,
  ],
  ["[]", `${NO_KIND}json: cannot unmarshal array into Go value of type ${KIND_STRUCT} (5b5d)`],
  [
    '{"kind":5}',
    `${NO_KIND}json: cannot unmarshal number into Go struct field .kind of type string ` +
      '({"kind":5})',
  ],
  [
    '{"apiVersion":"a/b/c"}',
    `${UNRECOGNIZED}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})`,
  ],
  [
    '{"kind":"X"}',
    `X${AS_A_JOB}no kind "X" is registered for version "batch/v1" ` +
      'in scheme "pkg/api/legacyscheme/scheme.go:30"',
  ],
  [
    '{"kind":"Pod","apiVersion":"v1"}',
    `Pod${AS_A_JOB}converting (v1.Pod) to (batch.Job): unknown conversion`,
  ],
  [
    '{"spec":{"parallelism":"2"}}',
    `Job${AS_A_JOB}json: cannot unmarshal string into Go struct field ` +
      "JobSpec.spec.parallelism of type int32",
  ],
])("the body %s is rejected", (text, message) => {
  expect(refusal(() => decode(text))).toBe(message);
});

test("malformed YAML is rejected", () => {
  expect(refusal(() => decode("a: b: c\n  - d", "yaml"))).toBe(
    `${UNRECOGNIZED}yaml: mapping values are not allowed in this context ` +
      "(613a20623a20630a20202d2064)",
  );
});

test.each([
  "null",
  "{}",
  '{"kind":"Job"}',
  '{"apiVersion":"batch/v1"}',
  '{"apiVersion":"batch/","KIND":"Job"}',
])("a kind missing in %s is taken from the URL", (text) => {
  expect(decode(text).object).toMatchObject({ kind: "Job", apiVersion: "batch/v1" });
});

test("an event of the other group is rejected for its version", () => {
  const bytes = new TextEncoder().encode('{"apiVersion":"v1","kind":"Event"}');
  const expected = {
    group: "events.k8s.io",
    version: "v1",
    kind: "Event",
    message: "events/v1.Event",
  };
  expect(refusal(() => decodeBody({ bytes, mediaType: "json" }, expected, () => true))).toBe(
    "the API version in the data (v1) does not match " +
      "the expected API version (events.k8s.io/v1)",
  );
});

test("strict findings of YAML name repeated keys first", () => {
  const text = "kind: Job\nmetadata:\n  name: j\n  name: k\nspec:\n  what: 1\n";
  const { object, strict } = decode(text, "yaml");
  expect(object.metadata.name).toBe("k");
  expect(strictDecodingError(JOB, strict).message).toBe(
    `Job${AS_A_JOB}strict decoding error: yaml: unmarshal errors:\n` +
      '  line 4: key "name" already set in map, unknown field "spec.what"',
  );
});

function deleteOptions(text: string) {
  return decodeDeleteOptions({ bytes: new TextEncoder().encode(text), mediaType: "json" });
}

test("DeleteOptions may have any group or none", () => {
  const options = { propagationPolicy: "Background" };
  expect(deleteOptions(JSON.stringify(options))).toEqual(options);
  const grouped = { kind: "DeleteOptions", apiVersion: "batch/v1", ...options };
  expect(deleteOptions(JSON.stringify(grouped))).toEqual(grouped);
});

test("errors in DeleteOptions do not name a kind", () => {
  expect(refusal(() => deleteOptions("{"))).toBe(
    "couldn't get version/kind; json parse error: unexpected end of JSON input",
  );
  expect(refusal(() => deleteOptions('{"kind":"Job","apiVersion":"batch/v1"}'))).toBe(
    'no kind "Job" is registered for version "batch/v1" ' +
      'in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"',
  );
});
