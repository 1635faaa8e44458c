import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import {
  decodeMessage,
  decodeProtobuf,
  encodeMessage,
  encodeProtobuf,
  encodeWatchFrame,
} from "./protobuf.ts";

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Go's zero value of a message: what an empty body decodes to. */
function emptyOf(messageName: string): object {
  return decodeMessage(messageName, new Uint8Array());
}

test("an empty body is Go's zero value: structs present, nil lists null, omitempty absent", () => {
  expect(emptyOf("core/v1.Container")).toStrictEqual({ name: "", resources: {} });
  expect(emptyOf("core/v1.PodSpec")).toStrictEqual({ containers: null });
  expect(emptyOf("batch/v1.CronJob")).toStrictEqual({
    metadata: {},
    spec: {
      schedule: "",
      jobTemplate: {
        metadata: {},
        spec: { template: { metadata: {}, spec: { containers: null } } },
      },
    },
    status: {},
  });
});

test("a pointer without omitempty is null when it is not on the wire", () => {
  expect(emptyOf("core/v1.TypedLocalObjectReference")).toStrictEqual({
    apiGroup: null,
    kind: "",
    name: "",
  });
});

const READ_ROWS: readonly (readonly [string, string, string, object])[] = [
  ["a pointer to zero is a value", "core/v1.FCVolumeSource", "10 00", { lun: 0 }],
  ["an empty message in a pointer is a value", "core/v1.VolumeSource", "12 00", { emptyDir: {} }],
  [
    "numbers one by one",
    "core/v1.PodSecurityContext",
    "20 01 20 02",
    { supplementalGroups: [1, 2] },
  ],
  ["numbers packed", "core/v1.PodSecurityContext", "22 02 01 02", { supplementalGroups: [1, 2] }],
  [
    "an unknown field is skipped",
    "core/v1.LocalObjectReference",
    "0a 01 61 f8 3f 05",
    { name: "a" },
  ],
  [
    "an unknown group is skipped",
    "core/v1.LocalObjectReference",
    "7b 08 01 7c 0a 01 61",
    { name: "a" },
  ],
  [
    "the last of two scalars wins",
    "core/v1.LocalObjectReference",
    "0a 01 61 0a 01 62",
    { name: "b" },
  ],
  ["the zero time of a pointer is no pointer", "meta/v1.ObjectMeta", "4a 00", {}],
  [
    "second 0 is 1970, not the zero time",
    "meta/v1.ObjectMeta",
    "42 04 08 00 10 00",
    { creationTimestamp: "1970-01-01T00:00:00Z" },
  ],
  [
    "nanoseconds of a Time are ignored",
    "meta/v1.ObjectMeta",
    "42 08 08 01 10 80 94 eb dc 03",
    { creationTimestamp: "1970-01-01T00:00:01Z" },
  ],
  [
    "a MicroTime is cut to microseconds",
    "coordination/v1.LeaseSpec",
    "1a 05 08 01 10 e7 0f",
    { acquireTime: "1970-01-01T00:00:01.000002Z" },
  ],
  ["an entry without key and value", "core/v1.Secret", "12 00", { metadata: {}, data: { "": "" } }],
  [
    "a quantity becomes canonical",
    "core/v1.ResourceRequirements",
    "0a 0a 0a 01 61 12 05 0a 03 30 2e 35",
    { limits: { a: "500m" } },
  ],
  [
    "entries come out sorted",
    "meta/v1.LabelSelector",
    "0a 06 0a 01 62 12 01 31 0a 06 0a 01 61 12 01 32",
    { matchLabels: { a: "2", b: "1" } },
  ],
  [
    "the largest int64 is rounded to one that can be written again",
    "meta/v1.ObjectMeta",
    "38 ff ff ff ff ff ff ff ff 7f",
    { generation: 2 ** 63 - 1024 },
  ],
  ["a negative number", "core/v1.FCVolumeSource", "10 ff ff ff ff ff ff ff ff ff 01", { lun: -1 }],
];

test.each(READ_ROWS)("%s", (_, messageName, hex, expected) => {
  const decoded = decodeMessage(messageName, bytesOf(hex));
  expect(decoded).toStrictEqual(expected);
  expect(JSON.stringify(decoded)).toBe(JSON.stringify(expected));
});

test("pieces of a nested message are merged, as concatenated bodies are", () => {
  const first = encodeMessage({ metadata: { name: "a", labels: { x: "1" } } }, "core/v1.Secret");
  const second = bytesOf("0a 05 1a 03 6e 73 31");
  expect(decodeMessage("core/v1.Secret", Buffer.concat([first, second]))).toMatchObject({
    metadata: { name: "a", namespace: "ns1", labels: { x: "1" } },
  });
});

test("an entry named __proto__ is an entry", () => {
  const labels = JSON.parse('{"__proto__":"x"}');
  const bytes = encodeMessage({ matchLabels: labels }, "meta/v1.LabelSelector");
  const decoded = decodeMessage<{ matchLabels: object }>("meta/v1.LabelSelector", bytes);
  expect(JSON.stringify(decoded)).toBe('{"matchLabels":{"__proto__":"x"}}');
});

test("maps are written in the order of their keys' UTF-8 bytes", () => {
  const matchLabels = { "\u{10000}": "", "\uffff": "", a: "" };
  const hex = hexOf(encodeMessage({ matchLabels }, "meta/v1.LabelSelector"));
  expect(hex).toBe("0a050a01611200" + "0a070a03efbfbf1200" + "0a080a04f09080801200");
});

const MALFORMED_ROWS: readonly (readonly [string, string, string, string])[] = [
  ["truncated string", "batch/v1.Job", "0a 05 0a", "unexpected EOF"],
  ["length beyond the enclosing message", "batch/v1.Job", "0a 02 0a 05 61 62 63", "unexpected EOF"],
  [
    "wrong wire type",
    "batch/v1.JobSpec",
    "0a 00",
    "proto: wrong wireType = 2 for field Parallelism",
  ],
  ["field number 0", "batch/v1.JobSpec", "00 00", "proto: JobSpec: illegal tag 0 (wire type 0)"],
  [
    "end of a group that never began",
    "batch/v1.JobSpec",
    "0c",
    "proto: JobSpec: wiretype end group for non-group",
  ],
  [
    "IntOrString of a third type",
    "core/v1.TCPSocketAction",
    "0a 02 08 02",
    "impossible IntOrString.Type",
  ],
  [
    "a year JSON cannot print",
    "core/v1.PodStatus",
    "3a 0c 08 ff ff ff ff ff ff ff ff 7f 10 00",
    "proto: Timestamp: out of range",
  ],
];

test.each(MALFORMED_ROWS)("rejects %s", (_, messageName, hex, message) => {
  expect(() => decodeMessage(messageName, bytesOf(hex))).toThrow(
    expect.objectContaining({ message, code: 400, reason: "BadRequest" }),
  );
});

test("rejects unlimited nesting", () => {
  const not = bytesOf("e2 01");
  let bytes: Uint8Array = new Uint8Array();
  for (let level = 0; level < 5000; level++) {
    bytes = Buffer.concat([not, varint(bytes.length), bytes]);
  }
  expect(() => decodeMessage("apiextensions/v1.JSONSchemaProps", bytes)).toThrow("max depth");
});

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return Uint8Array.from([...bytes, rest]);
}

test.each([
  ["nothing", "", "empty data"],
  ["only the magic number", "6b 38 73 00", "empty body"],
  [
    "JSON",
    "7b 7d",
    "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
  ],
  ["a truncated envelope", "6b 38 73 00 0a 05", "unexpected EOF"],
])("rejects %s as a body", (_, hex, message) => {
  expect(() => decodeProtobuf(bytesOf(hex))).toThrow(
    expect.objectContaining({ message, code: 400 }),
  );
});

test("a body without a type has empty names", () => {
  expect(decodeProtobuf(bytesOf("6b 38 73 00 12 00"))).toStrictEqual({
    apiVersion: "",
    kind: "",
    message: new Uint8Array(),
  });
});

test("a list is its metadata and the messages of its items", () => {
  const list = {
    apiVersion: "batch/v1",
    kind: "JobList",
    metadata: { resourceVersion: "7" },
    items: [{ apiVersion: "batch/v1", kind: "Job", ...emptyOf("batch/v1.Job") }],
  };
  const envelope = decodeProtobuf(encodeProtobuf(list, "batch/v1.JobList"));
  expect(envelope).toMatchObject({ apiVersion: "batch/v1", kind: "JobList" });
  expect(decodeMessage("batch/v1.JobList", envelope.message)).toStrictEqual({
    metadata: { resourceVersion: "7" },
    items: [emptyOf("batch/v1.Job")],
  });
});

test("a Status is encoded like any other message", () => {
  const status = new ApiError(404, "NotFound", "no", { name: "a", kind: "jobs" }).status;
  const { message } = decodeProtobuf(encodeProtobuf(status, "meta/v1.Status"));
  const { apiVersion, kind, ...rest } = status;
  expect(decodeMessage("meta/v1.Status", message)).toStrictEqual(rest);
});

test("a watch frame is a length and a bare WatchEvent around an enveloped object", () => {
  const frame = encodeWatchFrame("ADDED", bytesOf("6b 38 73 00"));
  expect(hexOf(frame)).toBe("0000000f" + "0a054144444544" + "1206" + "0a046b387300");
});

test.each([
  ["items", { type: "object" }],
  ["items", [{ type: "string" }, { type: "object" }]],
  ["additionalProperties", true],
  ["additionalProperties", false],
  ["additionalProperties", { type: "string" }],
  ["dependencies", { a: ["b", "c"], d: { type: "string" } }],
  ["default", { any: [1, null, "x"] }],
  ["enum", [null, 1, "a"]],
  ["maximum", 1.5],
])("a schema keeps its %s: %j", (field, value) => {
  const schema = { [field]: value };
  const bytes = encodeMessage(schema, "apiextensions/v1.JSONSchemaProps");
  expect(decodeMessage("apiextensions/v1.JSONSchemaProps", bytes)).toStrictEqual(schema);
});
