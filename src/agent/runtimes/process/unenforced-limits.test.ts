import { expect, test } from "vitest";
import { storedPod } from "../../../../test/builders/pod.ts";
import { limitsNotEnforced } from "./unenforced-limits.ts";

const ALL = { enforcesCpu: true, enforcesMemory: true };
const NONE = { enforcesCpu: false, enforcesMemory: false };

const { spec: SPEC } = storedPod({
  spec: {
    initContainers: [{ name: "first", image: "i", resources: { limits: { memory: "32Mi" } } }],
    containers: [
      {
        name: "main",
        image: "i",
        resources: { limits: { cpu: "2", memory: "1Gi", "ephemeral-storage": "5Gi" } },
      },
      {
        name: "free",
        image: "i",
        resources: { limits: { cpu: "0" }, requests: { memory: "1Gi" } },
      },
    ],
  },
});

test.each([
  [
    "nothing",
    NONE,
    [
      'container "first": memory 32Mi',
      'container "main": cpu 2',
      'container "main": memory 1Gi',
      'container "main": ephemeral-storage 5Gi',
    ],
  ],
  [
    "cpu alone",
    { ...NONE, enforcesCpu: true },
    [
      'container "first": memory 32Mi',
      'container "main": memory 1Gi',
      'container "main": ephemeral-storage 5Gi',
    ],
  ],
  ["cpu and memory", ALL, ['container "main": ephemeral-storage 5Gi']],
])("where %s is enforced, the other limits are named", (_, enforced, limits) => {
  expect(limitsNotEnforced(SPEC, enforced)).toEqual(limits);
});

test("a limit of the whole pod is enforced nowhere", () => {
  const resources = { limits: { cpu: "4" } };
  const { spec } = storedPod({ spec: { resources } });
  expect(limitsNotEnforced(spec, ALL)).toEqual(["pod: cpu 4"]);
});
