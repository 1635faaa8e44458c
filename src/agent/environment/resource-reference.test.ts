import { expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import type { ResourceFieldSelector } from "../../api/generated/core.ts";
import { resolveResource } from "./resource-reference.ts";

const ALLOCATABLE = { cpu: "3500m", memory: "8Gi", "ephemeral-storage": "100Gi" };

const POD = storedPod({
  spec: {
    initContainers: [{ name: "init", image: "i" }],
    containers: [
      {
        name: "main",
        image: "i",
        resources: {
          requests: { cpu: "250m", memory: "100Mi", "ephemeral-storage": "1500" },
          limits: { cpu: "1001m", memory: "1Gi", "hugepages-2Mi": "4Mi" },
        },
      },
      { name: "plain", image: "i", resources: { limits: { memory: "0" } } },
    ],
  },
});

function resolved(reference: ResourceFieldSelector, of = "main", pod = POD): string {
  const all = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])];
  const container = all.find(({ name }) => name === of);
  if (container === undefined) throw new Error(`no container ${of}`);
  const found = resolveResource(reference, { pod, container, allocatable: ALLOCATABLE });
  return "value" in found ? found.value : found.unresolved;
}

test.each<[string, string | undefined, string]>([
  ["requests.cpu", undefined, "1"],
  ["requests.cpu", "0", "1"],
  ["requests.cpu", "1", "1"],
  ["requests.cpu", "1m", "250"],
  ["limits.cpu", undefined, "2"],
  ["limits.cpu", "1m", "1001"],
  ["requests.memory", undefined, "104857600"],
  ["requests.memory", "1Mi", "100"],
  ["requests.memory", "1Gi", "1"],
  ["requests.memory", "1M", "105"],
  ["limits.memory", "1Mi", "1024"],
  ["requests.ephemeral-storage", "1Ki", "2"],
  ["limits.ephemeral-storage", "1Gi", "100"],
  ["limits.hugepages-2Mi", "1Mi", "4"],
  ["requests.hugepages-2Mi", undefined, "4194304"],
  ["limits.hugepages-1Gi", undefined, "0"],
])("%s in units of %s is %s", (resource, divisor, value) => {
  expect(resolved(divisor === undefined ? { resource } : { resource, divisor })).toBe(value);
});

test.each([
  ["limits.cpu", "4"],
  ["limits.memory", String(8 * 2 ** 30)],
  ["requests.cpu", "0"],
  ["requests.memory", "0"],
])("without limits, or with limits of zero, %s is %s: what the node has", (resource, value) => {
  expect(resolved({ resource }, "plain")).toBe(value);
  expect(resolved({ resource }, "init")).toBe(value);
});

test("a limit of the pod stands before what the node has", () => {
  const resources = { limits: { cpu: "2", memory: "1Gi" } };
  const pod = storedPod({ spec: { resources, containers: [{ name: "main", image: "i" }] } });
  expect(resolved({ resource: "limits.cpu" }, "main", pod)).toBe("2");
  expect(resolved({ resource: "limits.memory", divisor: "1Mi" }, "main", pod)).toBe("1024");
});

test("another container may be named; an init container so named has no default limits", () => {
  expect(
    resolved({ resource: "requests.cpu", containerName: "main", divisor: "1m" }, "plain"),
  ).toBe("250");
  expect(resolved({ resource: "limits.cpu", containerName: "plain" })).toBe("4");
  expect(resolved({ resource: "limits.cpu", containerName: "init" })).toBe("0");
});

test("what cannot be referred to is told", () => {
  expect(resolved({ resource: "limits.cpu", containerName: "nobody" })).toBe(
    "container nobody not found",
  );
  expect(resolved({ resource: "limits.pods" })).toBe(
    "unsupported container resource : limits.pods",
  );
});
