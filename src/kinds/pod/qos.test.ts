import { expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";

const exact = { limits: { cpu: "1", memory: "1Gi" } };

test.each<[string, object, string]>([
  ["BestEffort", { containers: [{}] }, "asks for nothing"],
  ["BestEffort", { containers: [{ requests: { cpu: "0" } }] }, "asks for nothing in numbers"],
  ["BestEffort", { containers: [{ requests: { "ephemeral-storage": "1" } }] }, "asks for a disk"],
  ["Burstable", { containers: [{ requests: { cpu: "1" } }] }, "asks without a limit"],
  ["Burstable", { containers: [exact, {}] }, "is limited in one container of two"],
  [
    "Burstable",
    { containers: [{ ...exact, requests: { cpu: "500m" } }] },
    "has requests below its limits",
  ],
  ["Guaranteed", { containers: [exact, exact] }, "may use exactly what it asks for"],
  ["Guaranteed", { containers: [{}], pod: exact }, "is limited as a whole"],
  ["Burstable", { containers: [exact], pod: { requests: { cpu: "2" } } }, "asks as a whole"],
])("a pod is %s when it %3$s", (qosClass, asked) => {
  const { containers, pod } = asked as { containers: object[]; pod?: object };
  const spec = {
    containers: containers.map((resources, at) => ({ name: `c${at}`, image: "x", resources })),
    ...(pod ? { resources: pod } : {}),
  };
  expect(storedPod({ spec }).status.qosClass).toBe(qosClass);
});
