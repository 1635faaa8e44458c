import { expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import { podKind } from "./kind.ts";

test.each<[string, object, object, number | undefined, number]>([
  ["a pod without a node is deleted at once", {}, {}, 30, 0],
  ["a pod on a node gets the grace period of its spec", { nodeName: "n" }, {}, undefined, 30],
  ["a pod on a node gets the grace period of the request", { nodeName: "n" }, {}, 5, 5],
  ["a negative time counts as one second", { nodeName: "n" }, {}, -3, 1],
  ["a pod that has ended is deleted at once", { nodeName: "n" }, { phase: "Failed" }, 30, 0],
])("%s", (_, spec, status, requested, seconds) => {
  const pod = storedPod({ spec: { ...spec }, status: { ...status } });
  expect(podKind.deletion?.gracePeriod?.(pod, requested)).toBe(seconds);
});

test("pods can be selected by node and phase", () => {
  const pod = storedPod({ spec: { nodeName: "n" }, status: { podIP: "10.0.0.1" } });
  const fields = Object.entries(podKind.selectableFields ?? {});
  expect(Object.fromEntries(fields.map(([field, read]) => [field, read(pod)]))).toEqual({
    "spec.nodeName": "n",
    "spec.restartPolicy": "Always",
    "spec.schedulerName": "default-scheduler",
    "spec.serviceAccountName": "",
    "spec.hostNetwork": "false",
    "status.phase": "Pending",
    "status.podIP": "",
    "status.podIPs": "",
    "status.nominatedNodeName": "",
  });
});
