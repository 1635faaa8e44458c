import { expect, test } from "vitest";
import {
  checkFields,
  findFieldEquality,
  matchesFields,
  parseFieldSelector,
} from "./field-selector-query.ts";

test.each([
  ["", []],
  [",", []],
  ["=", []],
  ["==,!=,a=1", [{ field: "a", operator: "=", value: "1" }]],
  ["a=1", [{ field: "a", operator: "=", value: "1" }]],
  ["a==1", [{ field: "a", operator: "=", value: "1" }]],
  ["a!=1", [{ field: "a", operator: "!=", value: "1" }]],
  ["a=", [{ field: "a", operator: "=", value: "" }]],
  ["=1", [{ field: "", operator: "=", value: "1" }]],
  [
    "b=2,a=1",
    [
      { field: "a", operator: "=", value: "1" },
      { field: "b", operator: "=", value: "2" },
    ],
  ],
  ["a=x\\,y\\=z\\\\", [{ field: "a", operator: "=", value: "x,y=z\\" }]],
])("the selector %j is parsed", (text, requirements) => {
  expect(parseFieldSelector(text)).toEqual(requirements);
});

test.each([
  ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ["b,a", "invalid selector: 'b,a'; can't understand 'a'"],
  ["a=b=c", "invalid field selector: unescaped character in value: 61"],
  ["a=\\x", "invalid field selector: invalid escape sequence: \\x"],
  ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
])("the selector %j is rejected", (text, message) => {
  expect(() => parseFieldSelector(text)).toThrow(message);
});

test.each([
  ["phase=Running", true],
  ["phase!=Running", false],
  ["phase!=Failed", true],
  ["node=", true],
  ["node!=n1", true],
  ["node=n1", false],
  ["phase=Running,node=n1", false],
])("%j over a running pod without node is %s", (text, matches) => {
  const fields = new Map([["phase", "Running"]]);
  expect(matchesFields(parseFieldSelector(text), (field) => fields.get(field))).toBe(matches);
});

test("findFieldEquality returns the value for an index", () => {
  expect(findFieldEquality(parseFieldSelector("a!=1,b=2"), "b")).toBe("2");
  expect(findFieldEquality(parseFieldSelector("a!=1,b=2"), "a")).toBeUndefined();
});

const configMap = { kind: "ConfigMap", namespaced: true };
const job = { kind: "Job", namespaced: true, selectableFields: { "status.successful": 1 } };
const pod = { kind: "Pod", namespaced: true, selectableFields: { "spec.nodeName": 1 } };
const node = { kind: "Node", namespaced: false, selectableFields: { "spec.unschedulable": 1 } };

test.each([
  [configMap, "metadata.name=a,metadata.namespace=b"],
  [job, "status.successful=1"],
  [pod, "spec.nodeName=,metadata.name=x"],
  [{ kind: "PriorityClass", namespaced: false }, "metadata.namespace=x"],
])("%j supports %j", (selectable, text) => {
  expect(() => checkFields(parseFieldSelector(text), selectable)).not.toThrow();
});

test.each([
  [
    configMap,
    "data.a=1",
    `"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  ],
  [job, "status.active=0", `field label "status.active" not supported for Job`],
  [pod, "spec.containers=x", "field label not supported: spec.containers"],
  [node, "metadata.namespace=x", "field label not supported: metadata.namespace"],
  [{ ...job, kind: "StatefulSet" }, "a=1", "field label not supported for appsv1.StatefulSet: a"],
  [pod, "constructor=1", "field label not supported: constructor"],
])("%j rejects %j", (selectable, text, message) => {
  expect(() => checkFields(parseFieldSelector(text), selectable)).toThrow(message);
});

test("a selector has at most 500 requirements", () => {
  expect(parseFieldSelector("a=1,".repeat(500))).toHaveLength(500);
  const message = "the field selector has more than 500 requirements";
  expect(() => parseFieldSelector("a=1,".repeat(501))).toThrow(message);
});
