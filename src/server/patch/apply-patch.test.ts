import { expect, test } from "vitest";
import { ApiError } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { applyPatch, type PatchType } from "./apply-patch.ts";

const configMap = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "cm", finalizers: ["example.com/a"] },
  data: { a: "1" },
} as KubeObject;

function apply(type: PatchType, patch: unknown): ReturnType<typeof applyPatch> {
  const body = typeof patch === "string" ? patch : JSON.stringify(patch);
  return applyPatch({ type, body, current: configMap, message: "core/v1.ConfigMap" });
}

test.each<[PatchType, unknown]>([
  ["json", [{ op: "add", path: "/data/b", value: "2" }]],
  ["merge", { data: { b: "2" } }],
  ["strategic", { data: { b: "2" } }],
])("a %s patch applies to a copy of the object", (type, patch) => {
  const { result } = apply(type, patch);
  expect(result).toEqual({ ...configMap, data: { a: "1", b: "2" } });
  expect(configMap).toHaveProperty("data", { a: "1" });
});

test.each<[PatchType, unknown]>([
  ["json", "null"],
  ["json", []],
  ["merge", {}],
  ["strategic", {}],
  ["strategic", "null"],
])("the %s patch %j changes nothing", (type, patch) => {
  expect(apply(type, patch).result).toEqual(configMap);
});

const INTO = "into Go value of type";
const INTO_MAP = `${INTO} map[string]interface {}`;
const UNDECODABLE = "error decoding patch: json: cannot unmarshal";

test.each<[PatchType, string, string]>([
  ["json", "", "error decoding patch: unexpected end of JSON input"],
  ["json", "{}", `${UNDECODABLE} object ${INTO} []handlers.jsonPatchOp`],
  ["json", "[1]", `${UNDECODABLE} number ${INTO} handlers.jsonPatchOp`],
  [
    "json",
    '[{"op":1}]',
    `${UNDECODABLE} number into Go struct field jsonPatchOp.op of type string`,
  ],
  ["merge", '{"a"', "error decoding patch: unexpected end of JSON input"],
  ["merge", "[]", `error decoding patch: json: cannot unmarshal array ${INTO_MAP}`],
  ["merge", "true", `error decoding patch: json: cannot unmarshal bool ${INTO_MAP}`],
  ["merge", "null", "Invalid JSON Patch"],
  ["strategic", "{", "unexpected end of JSON input"],
  ["strategic", "[]", `json: cannot unmarshal array ${INTO_MAP}`],
])("the %s patch %j is a bad request", (type, body, message) => {
  expect(refusal(type, body)).toMatchObject({ code: 400, reason: "BadRequest", message });
});

test("a JSON patch of more than 10000 operations is too large", () => {
  const operation = { op: "test", path: "/data/a", value: "1" };
  const operations = (length: number): unknown => Array.from({ length }, () => operation);
  expect(() => apply("json", operations(10_000))).not.toThrow();
  expect(refusal("json", operations(10_001))).toMatchObject({
    code: 413,
    reason: "RequestEntityTooLarge",
    message:
      "Request entity too large: The allowed maximum operations in a JSON patch is 10000, " +
      "got 10001",
  });
});

test.each<[unknown, string]>([
  [{ data: { a: 5 } }, '"map[data:map[a:5]]": cannot convert int64 to string'],
  [{ data: { a: true } }, '"map[data:map[a:true]]": unrecognized type: string'],
  [{ data: "x" }, '"map[data:x]": cannot restore map from string'],
  [{ metadata: "x" }, '"map[metadata:x]": cannot restore struct from: string'],
  [
    { metadata: { finalizers: 1 } },
    '"map[metadata:map[finalizers:1]]": cannot restore slice from int64',
  ],
  [{ immutable: "x" }, '"map[immutable:x]": unrecognized type: bool'],
  [
    { metadata: { deletionGracePeriodSeconds: 1.5 } },
    '"map[metadata:map[deletionGracePeriodSeconds:1.5]]": cannot convert float64 to int64',
  ],
  [{ binaryData: { a: 1 } }, '"map[binaryData:map[a:1]]": cannot restore slice from int64'],
])("the result of the strategic patch %j is not a ConfigMap", (patch, problem) => {
  expect(refusal("strategic", patch)).toMatchObject({
    code: 422,
    reason: "Invalid",
    message: ` "" is invalid: patch: Invalid value: ${problem}`,
  });
});

test.each<[PatchType, string, string[]]>([
  ["merge", '{"data":{"q":"1","q":"2","q":"3"}}', ['duplicate field "data.q"']],
  ["strategic", '{"data":{"q":"1","q":"2"}}', ['duplicate field "data.q"']],
  [
    "json",
    '[{"op":"test","op":"test","path":"/data/a","value":"1","foo":1}]',
    ['json patch duplicate field "[0].op"', 'json patch unknown field "[0].foo"'],
  ],
])("strict validation reports mistakes in the %s patch %s", (type, body, strict) => {
  expect(apply(type, body).strict).toEqual(strict);
});

test("an error quotes the result, or the rest of a strategic patch", () => {
  const merged = apply("merge", { metadata: null, data: null });
  expect(merged.shown()).toBe('{"apiVersion":"v1","kind":"ConfigMap"}');
  const patch = { foo: [1, null, 1.5], metadata: { $retainKeys: ["name"], name: "x" } };
  expect(apply("strategic", patch).shown()).toBe("map[foo:[1 <nil> 1.5] metadata:map[name:x]]");
});

function refusal(type: PatchType, patch: unknown): ApiError {
  try {
    apply(type, patch);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(patch)} was applied`);
}

test.each<[PatchType, string]>([
  ["json", `[{"op":"add","path":"/x","value":${"[".repeat(5000)}${"]".repeat(5000)}}]`],
  ["merge", `${'{"data":'.repeat(5000)}1${"}".repeat(5000)}`],
  ["strategic", `${'{"data":'.repeat(5000)}1${"}".repeat(5000)}`],
])("a %s patch that is nested too deeply is rejected", (type, patch) => {
  expect(() => apply(type, patch)).toThrow(expect.objectContaining({ code: 400 }));
});
