import { expect, test } from "vitest";
import { storedPod } from "../../test/builders/pod.ts";
import { parseCidr } from "../base/address.ts";
import { PodRuntimes } from "./pod-runtimes.ts";

const cidr = (text: string) => {
  const parsed = parseCidr(text);
  if (!parsed) throw new Error(text);
  return parsed;
};

const abilities = { hasNetwork: true, hasUsers: true };

function runtimes(podCidr = "10.205.0.0/16"): PodRuntimes {
  return new PodRuntimes({
    defaultRuntime: "process",
    podCidr: cidr(podCidr),
    enginePodCidr: cidr("10.206.0.0/16"),
    sharedPaths: [],
    engines: [],
    allowedRuntimes: () => undefined,
    runtime: {
      can: { enforcesCpu: false, enforcesMemory: false, sandbox: abilities },
      leave: () => {},
    },
    strictLimits: false,
    nodeName: "n",
    nodeAddress: "127.0.0.1",
    openFiles: () => Promise.reject(new Error("no files")),
    hasFiles: () => false,
  });
}

const podOf = (uid: string, podIP: string) =>
  storedPod({ metadata: { uid }, status: { phase: "Running", podIP } });

test("a pod that an earlier server started stays in the runtime that has it", () => {
  const own = runtimes();
  const pod = podOf("u", "10.205.0.9");
  own.adopt(pod, "sandbox");
  expect([own.nameOf(pod), own.take(pod)]).toEqual(["sandbox", "10.205.0.9"]);
  expect(runtimes().nameOf(pod)).toBe("process");
});

test("a pod that an earlier server started keeps its address, also one of another range", () => {
  const own = runtimes("10.99.0.0/16");
  const pod = podOf("u", "10.205.0.9");
  own.adopt(pod, "sandbox");
  expect(own.take(pod)).toBe("10.205.0.9");
});
