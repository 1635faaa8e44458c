import fc from "fast-check";
import { expect, test } from "vitest";
import { RECORDED } from "./decode.fixtures.ts";
import { canonicalize, decodeMessage, decodeObject } from "./decode.ts";
import { parseJson } from "./json-text.ts";

test.each(RECORDED)("the recorded answer for a $kind is canonical", (object) => {
  const message = object.message;
  const { object: decoded, strict } = decodeObject({ value: object.body }, message);
  expect(decoded).toEqual(object.body);
  expect(strict).toEqual([]);
});

test("an empty Job has the structs that Go always prints", () => {
  expect(JSON.stringify(canonicalize({ spec: null }, "batch/v1.Job"))).toBe(
    '{"metadata":{},"spec":{"template":{"metadata":{},"spec":{"containers":null}}},"status":{}}',
  );
});

test("kind and apiVersion come first", () => {
  const typeMeta = { kind: "ConfigMap", apiVersion: "v1" };
  const { object } = decodeObject({ value: { data: { a: "1" } } }, "core/v1.ConfigMap", typeMeta);
  expect(JSON.stringify(object)).toBe(
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{"a":"1"}}',
  );
});

test.each<[string, unknown, unknown]>([
  ["meta/v1.ObjectMeta", { name: "", labels: {}, generation: 0, creationTimestamp: null }, {}],
  ["meta/v1.ObjectMeta", { labels: { b: "2", a: null } }, { labels: { a: "", b: "2" } }],
  ["core/v1.ResourceRequirements", { limits: { cpu: 0.5 } }, { limits: { cpu: "500m" } }],
  ["core/v1.ResourceFieldSelector", { resource: "cpu" }, { resource: "cpu", divisor: "0" }],
  ["core/v1.TCPSocketAction", {}, { port: 0 }],
  ["core/v1.SleepAction", {}, { seconds: 0 }],
  ["core/v1.GRPCAction", { port: 1 }, { port: 1, service: null }],
  [
    "core/v1.Secret",
    { data: { a: "YR==\n", b: null } },
    { metadata: {}, data: { a: "YQ==", b: "" } },
  ],
  ["batch/v1.PodFailurePolicy", { rules: [] }, { rules: null }],
  ["batch/v1.JobList", { items: [] }, { metadata: {}, items: [] }],
  ["core/v1.EmptyDirVolumeSource", { sizeLimit: "1024Mi" }, { sizeLimit: "1Gi" }],
])("%s: %j is canonically %j", (message, value, canonical) => {
  expect(decodeMessage({ value: value as never }, message).object).toEqual(canonical);
});

test("a null in a list is the zero value of its type", () => {
  const { containers } = decodeMessage({ value: { containers: [null] } }, "core/v1.PodSpec").object;
  expect(containers).toEqual([{ name: "", resources: {} }]);
});

test("a map may have the key __proto__", () => {
  const { object } = decodeMessage(parseJson('{"data":{"__proto__":"x"}}'), "core/v1.ConfigMap");
  expect(JSON.stringify(object["data"])).toBe('{"__proto__":"x"}');
});

const TEMPLATE = "spec.template.spec";

test.each([
  ["parallelism", '"2"', "string into JobSpec.spec.parallelism of type int32"],
  ["parallelism", "2.0", "number 2.0 into JobSpec.spec.parallelism of type int32"],
  ["parallelism", "2147483648", "number 2147483648 into JobSpec.spec.parallelism of type int32"],
  [
    "activeDeadlineSeconds",
    "1e3",
    "number 1e3 into JobSpec.spec.activeDeadlineSeconds of type int64",
  ],
  ["selector", "[]", "array into JobSpec.spec.selector of type v1.LabelSelector"],
  ["completionMode", "{}", "object into JobSpec.spec.completionMode of type v1.CompletionMode"],
  [
    "template",
    '{"metadata":{"labels":{"a":true}}}',
    "bool into ObjectMeta.spec.template.metadata.labels of type string",
  ],
  [
    "template",
    '{"metadata":{"labels":"a"}}',
    "string into ObjectMeta.spec.template.metadata.labels of type map[string]string",
  ],
  [
    "template",
    '{"metadata":{"creationTimestamp":5}}',
    "number into ObjectMeta.spec.template.metadata.creationTimestamp of type string",
  ],
  [
    "template",
    '{"spec":{"volumes":[{"secret":"x"}]}}',
    `string into Volume.${TEMPLATE}.volumes.VolumeSource.secret of type v1.SecretVolumeSource`,
  ],
  [
    "template",
    '{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":1.5}}}]}}',
    `number 1.5 into HTTPGetAction.${TEMPLATE}.containers.livenessProbe.ProbeHandler.httpGet` +
      ".port of type int32",
  ],
  ["activeDeadlineSeconds", "9223372036854775808", "number 9223372036854775808 into JobSpec"],
])("spec.%s may not be %s", (field, value, problem) => {
  const decode = () => decodeObject(parseJson(`{"spec":{"${field}":${value}}}`), "batch/v1.Job");
  const message = problem.replace(" into ", " into Go struct field ");
  expect(decode).toThrow(`json: cannot unmarshal ${message}`);
});

test("an error in the kind of a nested object names the struct that contains it", () => {
  const text = '{"spec":{"volumeClaimTemplates":[{"kind":1}]}}';
  const decode = () => decodeObject(parseJson(text), "apps/v1.StatefulSet");
  const where = "PersistentVolumeClaim.spec.volumeClaimTemplates.TypeMeta.kind of type string";
  expect(decode).toThrow(`json: cannot unmarshal number into Go struct field ${where}`);
});

test("the error for a body that is not an object names no field", () => {
  const decode = () => decodeObject(parseJson("5"), "batch/v1.Job");
  expect(decode).toThrow("json: cannot unmarshal number into Go value of type v1.Job");
});

test("the first type error is reported, unless a quantity or time cannot be parsed", () => {
  const decode = (metadata: string) => () =>
    decodeObject(parseJson(`{"metadata":{"name":1,"namespace":2${metadata}}}`), "batch/v1.Job");
  expect(decode("")).toThrow("ObjectMeta.metadata.name of type string");
  expect(decode(',"creationTimestamp":"x"')).toThrow('parsing time "x"');
});

test("the error for invalid base64 contains the position", () => {
  const decode = (text: string) => () =>
    decodeMessage({ value: { binaryData: { a: text } } }, "core/v1.ConfigMap");
  expect(decode("***")).toThrow("illegal base64 data at input byte 0");
  expect(decode("YQ=")).toThrow("illegal base64 data at input byte 3");
  expect(decode("YWI=x")).toThrow("illegal base64 data at input byte 4");
});

test("unknown and repeated fields are dropped and reported in document order", () => {
  const { object, strict } = decodeObject(
    parseJson(`{
      "metadata": {"labels": {"a": "1", "a": "2"}, "Name": "x"},
      "spec": {"what": {"ever": 1, "ever": 2}, "parallelism": 1, "parallelism": 2,
        "template": {"spec": {"containers": [{"bogus": 1}, {"image": "i", "image": "j"}]}}}
    }`),
    "batch/v1.Job",
  );
  expect(strict).toEqual([
    'duplicate field "metadata.labels.a"',
    'unknown field "metadata.Name"',
    'unknown field "spec.what"',
    'duplicate field "spec.parallelism"',
    'unknown field "spec.template.spec.containers[0].bogus"',
    'duplicate field "spec.template.spec.containers[1].image"',
  ]);
  expect(object).toMatchObject({ metadata: { labels: { a: "2" } }, spec: { parallelism: 2 } });
});

test("a repeated struct is decoded into what the first occurrence left", () => {
  const text = '{"spec":{"parallelism":1,"suspend":true},"spec":{"completions":2,"suspend":null}}';
  const { object } = decodeObject(parseJson(text), "batch/v1.Job");
  expect(object).toMatchObject({ spec: { parallelism: 1, completions: 2 } });
  expect(object).not.toHaveProperty("spec.suspend");
});

test("the number of strict findings is limited", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, 1]));
  expect(decodeMessage({ value: many }, "core/v1.ConfigMap").strict).toHaveLength(100);
});

test("decoding is idempotent", () => {
  const text = fc.string({ maxLength: 5 });
  const job = fc.record(
    {
      parallelism: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      activeDeadlineSeconds: fc.option(fc.maxSafeInteger()),
      suspend: fc.option(fc.boolean()),
      selector: fc.option(fc.record({ matchLabels: fc.dictionary(text, fc.option(text)) })),
      unknown: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(job, (spec) => {
      const once = canonicalize({ spec }, "batch/v1.Job");
      expect(JSON.stringify(canonicalize(once, "batch/v1.Job"))).toBe(JSON.stringify(once));
    }),
  );
});

test("the largest int64 can be printed and read back", () => {
  const first = decodeMessage(
    parseJson('{"generation":9223372036854775807}'),
    "meta/v1.ObjectMeta",
  );
  const printed = JSON.stringify(first.object);
  expect(decodeMessage(parseJson(printed), "meta/v1.ObjectMeta").object).toEqual(first.object);
});
