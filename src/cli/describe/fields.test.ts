import { expect, test } from "vitest";
import type { Pod } from "../../api/generated/core.ts";
import { formatQuantity } from "../../api/quantity.ts";
import { annotationLines, controllerLines, labelLines, localTime } from "./fields.ts";
import { podLimits, podRequests } from "./pod-resources.ts";
import { probeText } from "./probe.ts";

test("labels stand below one another, sorted", () => {
  expect(labelLines("Labels", { b: "2", a: "1" })).toEqual(["Labels:\ta=1", "\tb=2"]);
  expect(labelLines("Labels", {})).toEqual(["Labels:\t<none>"]);
});

test("long annotations are cut, those of several lines broken, the applied one left out", () => {
  const applied = { "kubectl.kubernetes.io/last-applied-configuration": "{}" };
  expect(annotationLines("Annotations", applied)).toEqual(["Annotations:\t<none>"]);
  expect(annotationLines("Annotations", { a: "x", b: "1\n2\n", c: "y".repeat(150) })).toEqual([
    "Annotations:\ta: x",
    "\tb:",
    "\t  1",
    "\t  2",
    "\tc:",
    `\t  ${"y".repeat(138)}...`,
  ]);
});

test("the controller is the owner that says so", () => {
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u" };
  expect(controllerLines({ ownerReferences: [owner] })).toEqual([]);
  expect(controllerLines({ ownerReferences: [{ ...owner, controller: true }] })).toEqual([
    "Controlled By:\tJob/j",
  ]);
});

test("times are those of the reader", () => {
  const text = localTime("2026-01-02T03:04:05Z");
  expect(text).toMatch(/^(Thu|Fri), 0[12] Jan 2026 \d\d:\d\d:05 [+-]\d{4}$/);
  expect(new Date(text).toISOString()).toBe("2026-01-02T03:04:05.000Z");
});

test("a probe is one line", () => {
  expect(probeText({ exec: { command: ["a", "b"] }, periodSeconds: 3 })).toBe(
    "exec [a b] delay=0s timeout=0s period=3s #success=0 #failure=0",
  );
  expect(probeText({ httpGet: { scheme: "HTTP", port: 80, path: "/x" } })).toMatch(
    /^http-get http:\/\/:80\/x delay/,
  );
});

test.each([
  [{ containers: [asking("1"), asking("500m")] }, "1500m"],
  [{ containers: [asking("1")], initContainers: [asking("3")] }, "3"],
  [{ containers: [asking("1")], initContainers: [sidecar("1"), asking("3")] }, "4"],
  [{ containers: [asking("1")], initContainers: [asking("3"), sidecar("1")] }, "3"],
  [{ containers: [asking("1")], overhead: { cpu: "250m" } }, "1250m"],
  [{ containers: [asking("1")], resources: { requests: { cpu: "7" } } }, "7"],
])("the requests of %j are %s", (spec, cpu) => {
  const amount = podRequests({ spec } as unknown as Pod).get("cpu");
  expect(amount && formatQuantity(amount)).toBe(cpu);
});

test("the overhead counts for limits only where there is one", () => {
  const spec = { containers: [{ resources: { limits: { cpu: "1" } } }] };
  const overhead = { cpu: "1", memory: "1Gi" };
  const limits = podLimits({ spec: { ...spec, overhead } } as unknown as Pod);
  expect([...limits.keys()]).toEqual(["cpu"]);
});

function asking(cpu: string) {
  return { resources: { requests: { cpu } } };
}

function sidecar(cpu: string) {
  return { ...asking(cpu), restartPolicy: "Always" };
}
