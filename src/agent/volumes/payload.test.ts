import { expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import type { ConfigMap, Pod, Secret, Volume } from "../../api/generated/core.ts";
import { composePayload, type PayloadSource } from "./payload.ts";

const metadata = { name: "x", namespace: "default" };
const CONFIG: ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata,
  data: { a: "1", b: "2" },
  binaryData: { c: "/w==" },
};
const SECRET: Secret = { apiVersion: "v1", kind: "Secret", metadata, data: { s: "aGk=" } };

function shown(volume: Omit<Volume, "name">, source: Partial<PayloadSource> = {}) {
  const composed = composePayload(
    { name: "v", ...volume },
    {
      pod: POD,
      allocatable: { cpu: "2", memory: "1Gi" },
      tokens: new Map(),
      configMap: (name) => (name === "x" ? CONFIG : undefined),
      secret: (name) => (name === "x" ? SECRET : undefined),
      ...source,
    },
  );
  if (composed === undefined || "problem" in composed) return composed?.problem;
  return [...composed.payload].map(
    ([path, { content, mode }]) => `${path} ${mode.toString(8)} ${Buffer.from(content)}`,
  );
}

const POD: Pod = storedPod({
  metadata: { name: "p", labels: { z: "1", a: "2" }, annotations: { "x/y": "multi\nline" } },
  spec: {
    containers: [
      { name: "c", image: "i", resources: { limits: { cpu: "1500m" }, requests: {} } },
      { name: "free", image: "i" },
    ],
    initContainers: [{ name: "init", image: "i" }],
  },
});

const items = (key: string, mode?: number) => [
  { key, path: `dir/${key}`, ...(mode === undefined ? {} : { mode }) },
];

test.each<[string, Omit<Volume, "name">, readonly string[] | string]>([
  ["all keys", { configMap: { name: "x" } }, ["a 644 1", "b 644 2", "c 644 \uFFFD"]],
  ["a mode", { configMap: { name: "x", defaultMode: 0o400, items: items("a") } }, ["dir/a 400 1"]],
  ["its own mode", { configMap: { name: "x", items: items("a", 0o755) } }, ["dir/a 755 1"]],
  ["no such object", { configMap: { name: "y" } }, 'configmap "y" not found'],
  ["an optional one", { configMap: { name: "y", optional: true, items: items("a") } }, []],
  [
    "no such key",
    { configMap: { name: "x", items: items("q") } },
    "configmap references non-existent config key: q",
  ],
  ["an optional key", { configMap: { name: "x", optional: true, items: items("q") } }, []],
  ["a secret", { secret: { secretName: "x" } }, ["s 644 hi"]],
  ["no such secret", { secret: { secretName: "y" } }, 'secret "y" not found'],
  [
    "no such key of a secret",
    { secret: { secretName: "x", items: items("q") } },
    "references non-existent secret key: q",
  ],
])("a volume with %s", (_, volume, expected) => {
  expect(shown(volume)).toEqual(expected);
});

const field = (fieldPath: string) => ({
  downwardAPI: { items: [{ path: "f", fieldRef: { fieldPath } }] },
});
const amount = (containerName: string, resource: string, divisor = "0") => ({
  downwardAPI: { items: [{ path: "f", resourceFieldRef: { containerName, resource, divisor } }] },
});

test.each<[Omit<Volume, "name">, readonly string[] | string]>([
  [field("metadata.name"), ["f 644 p"]],
  [field("metadata.labels"), ['f 644 a="2"\nz="1"']],
  [field("metadata.annotations"), ['f 644 x/y="multi\\nline"']],
  [field("metadata.annotations['x/y']"), ["f 644 multi\nline"]],
  [field("metadata.labels['none']"), ["f 644 "]],
  [field("status.podIP"), "unsupported fieldPath: status.podIP"],
  [amount("c", "limits.cpu"), ["f 644 2"]],
  [amount("c", "limits.cpu", "1m"), ["f 644 1500"]],
  [amount("free", "limits.memory", "1Mi"), ["f 644 1024"]],
  [amount("init", "limits.cpu"), ["f 644 2"]],
  [amount("q", "limits.cpu"), "container q not found"],
])("a pod is told of itself by %j", (volume, expected) => {
  expect(shown(volume)).toEqual(expected);
});

test("sources are projected in order, and later ones win", () => {
  const sources = [
    { configMap: { name: "x", items: [{ key: "a", path: "f" }] } },
    { secret: { name: "x", items: [{ key: "s", path: "f" }] } },
    { serviceAccountToken: { path: "token" } },
  ];
  const tokens = new Map([["token", "T"]]);
  expect(shown({ projected: { sources, defaultMode: 0o440 } }, { tokens })).toEqual([
    "f 440 hi",
    "token 440 T",
  ]);
});

test("everything that is missing is told at once", () => {
  const sources = [
    { configMap: { name: "y" } },
    { secret: { name: "y" } },
    { secret: { name: "z", optional: true } },
  ];
  expect(shown({ projected: { sources } })).toBe('[configmap "y" not found, secret "y" not found]');
});

test("a token is for the group of the pod alone, if it names one", () => {
  const sources = [{ serviceAccountToken: { path: "token" } }];
  const pod = { ...POD, spec: { ...POD.spec, securityContext: { fsGroup: 1 } } };
  const tokens = new Map([["token", "T"]]);
  expect(shown({ projected: { sources } }, { pod, tokens })).toEqual(["token 600 T"]);
});
