import fc from "fast-check";
import { expect, test } from "vitest";
import { type PodFields, writtenPod } from "../../../test/builders/pod.ts";
import { draftOf } from "../../api/object.ts";
import { setPodDefaults, setPodTemplateDefaults } from "./defaults.ts";
import { defaultPullPolicy } from "./validate-image.ts";

function defaulted(fields: PodFields) {
  const pod = writtenPod(fields);
  setPodDefaults(pod);
  return pod;
}

test("only pods get defaults for requests, service links and host ports", () => {
  const spec = {
    hostNetwork: true,
    containers: [
      {
        name: "c",
        image: "x",
        ports: [{ containerPort: 80 }],
        resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } },
      },
    ],
  };
  const pod = defaulted({ spec });
  expect(pod.spec.enableServiceLinks).toBe(true);
  expect(pod.spec.containers?.[0]?.ports?.[0]?.hostPort).toBe(80);
  expect(pod.spec.containers?.[0]?.resources.requests).toEqual({ cpu: "500m", memory: "1Gi" });
  const template = writtenPod({ spec });
  setPodTemplateDefaults(template);
  expect(template.spec.enableServiceLinks).toBeUndefined();
  expect(template.spec.containers?.[0]?.ports?.[0]?.hostPort).toBeUndefined();
  expect(template.spec.containers?.[0]?.resources.requests).toEqual({ cpu: "500m" });
});

test("the requests of a whole pod come from its containers, then from its limits", () => {
  const resources = { limits: { cpu: "4", memory: "1Gi" } };
  const sidecar = { name: "s", image: "x", restartPolicy: "Always" };
  const pod = defaulted({
    spec: {
      resources,
      containers: [{ name: "c", image: "x", resources: { requests: { cpu: "1" } } }],
      initContainers: [
        { ...sidecar, resources: { requests: { cpu: "500m" } } },
        { name: "i", image: "x", resources: { requests: { cpu: "2" } } },
      ],
    },
  });
  expect(pod.spec.resources?.requests).toEqual({ cpu: "2500m", memory: "1Gi" });
});

test("huge pages of containers are added to the limits of a pod with resources", () => {
  const pages = { "hugepages-2Mi": "4Mi" };
  const container = { name: "c", image: "x", resources: { limits: pages, requests: pages } };
  const pod = defaulted({
    spec: { resources: { requests: { cpu: "1" } }, containers: [container] },
  });
  expect(pod.spec.resources).toEqual({ requests: { cpu: "1", ...pages }, limits: pages });
});

test("serviceAccountName and serviceAccount are both set, and the newer field wins", () => {
  expect(defaulted({ spec: { serviceAccount: "a" } }).spec).toMatchObject({
    serviceAccountName: "a",
    serviceAccount: "a",
  });
  const both = { serviceAccount: "a", serviceAccountName: "b" };
  expect(defaulted({ spec: both }).spec).toMatchObject({
    serviceAccountName: "b",
    serviceAccount: "b",
  });
});

test("podIP is the first of podIPs, and wins if they differ", () => {
  const ips = [{ ip: "10.0.0.1" }, { ip: "::1" }];
  expect(defaulted({ status: { podIPs: ips } }).status.podIP).toBe("10.0.0.1");
  expect(defaulted({ status: { podIP: "10.0.0.9", podIPs: ips } }).status).toEqual({
    podIP: "10.0.0.9",
    podIPs: [{ ip: "10.0.0.9" }],
  });
  expect(defaulted({ status: { podIP: "10.0.0.9" } }).status.podIPs).toEqual([{ ip: "10.0.0.9" }]);
});

test("old annotations for init containers are dropped", () => {
  const annotations = { "pod.beta.kubernetes.io/init-containers": "[]" };
  expect(defaulted({ metadata: { annotations } }).metadata.annotations).toBeUndefined();
});

test.each([
  ["busybox", "Always"],
  ["busybox:latest", "Always"],
  ["busybox:1.36", "IfNotPresent"],
  ["registry.example.com:5000/a/b", "Always"],
  ["registry.example.com:5000/a/b:1", "IfNotPresent"],
  [`busybox@sha256:${"a".repeat(64)}`, "IfNotPresent"],
  [`busybox:latest@sha256:${"a".repeat(64)}`, "Always"],
  [" busybox ", "IfNotPresent"],
  ["", "IfNotPresent"],
  ["a".repeat(63), "Always"],
  ["a".repeat(64), "IfNotPresent"],
  ["g".repeat(247), "Always"],
  ["g".repeat(248), "IfNotPresent"],
])("the image %j is pulled %s", (image, policy) => {
  expect(defaultPullPolicy(image)).toBe(policy);
});

test("a negative grace period is corrected in pods and kept in templates", () => {
  const spec = { terminationGracePeriodSeconds: -5 };
  expect(defaulted({ spec }).spec.terminationGracePeriodSeconds).toBe(1);
  const template = writtenPod({ spec });
  setPodTemplateDefaults(template);
  expect(template.spec.terminationGracePeriodSeconds).toBe(-5);
});

test("defaults are set once: a second time changes nothing", () => {
  const amount = fc.constantFrom("1", "1500m", "1Gi", "0.0001", "3Ki");
  const resources = fc.record(
    { limits: fc.dictionary(fc.constantFrom("cpu", "memory"), amount) },
    { requiredKeys: [] },
  );
  const spec = fc.record(
    {
      hostNetwork: fc.boolean(),
      resources,
      volumes: fc.constantFrom([{ name: "v" }], [{ name: "v", secret: { secretName: "s" } }]),
      containers: resources.map((each) => [
        { name: "c", image: "x", resources: each, ports: [{ containerPort: 1 }] },
      ]),
    },
    { requiredKeys: ["containers"] },
  );
  fc.assert(
    fc.property(spec, (fields) => {
      const once = defaulted({ spec: fields });
      const twice = draftOf(once);
      setPodDefaults(twice);
      expect(twice).toEqual(once);
    }),
  );
});
