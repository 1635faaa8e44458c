import { expect, test } from "vitest";
import { type PodFields, storedPod } from "../../../test/builders/pod.ts";
import type { ConfigMap, Secret, Service } from "../../api/generated/core.ts";
import { composeEnvironment, type EnvironmentInput } from "./environment.ts";

const CONFIG_MAPS: { readonly [name: string]: ConfigMap["data"] } = {
  colours: { SKY: "blue", "sea.level": "green", REF: "$(SKY)" },
  other: { SKY: "grey" },
  empty: undefined,
};
const SECRETS: { readonly [name: string]: Secret["data"] } = {
  login: { USER_NAME: base64("ann"), PASSWORD: base64("pa$(SKY)s\n") },
  keys: { binary: "gIE=" },
  empty: undefined,
};

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

const KUBERNETES: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "kubernetes", namespace: "default" },
  spec: { clusterIP: "10.0.0.1", ports: [{ name: "https", port: 443 }] },
  status: { loadBalancer: {} },
};

interface Given extends PodFields {
  readonly inherited?: EnvironmentInput["inherited"];
}

function compose(container: object, { inherited = [], ...fields }: Given = {}) {
  const spec = {
    nodeName: "node-1",
    serviceAccountName: "robot",
    ...fields.spec,
    containers: [{ name: "c", image: "i", ...container }],
  };
  const metadata = { name: "p-0", namespace: "work", uid: "u-1", ...fields.metadata };
  const pod = storedPod({ metadata, spec });
  const [first] = pod.spec.containers ?? [];
  if (first === undefined) throw new Error("no container");
  return composeEnvironment({
    pod,
    container: first,
    node: { name: "node-1", allocatable: { cpu: "4" }, hostIp: "127.0.0.1" },
    podIp: "127.64.0.5",
    configMaps: (name) => objectOf("ConfigMap", name, CONFIG_MAPS),
    secrets: (name) => objectOf("Secret", name, SECRETS),
    services: [KUBERNETES],
    inherited,
  });
}

function objectOf(
  kind: string,
  name: string,
  from: { readonly [name: string]: { readonly [key: string]: string } | undefined },
) {
  if (!Object.hasOwn(from, name)) return undefined;
  const data = from[name];
  const object = { apiVersion: "v1", kind, metadata: { name, namespace: "work" } };
  return data === undefined ? object : { ...object, data };
}

/** Without what every container has: the API server and HOSTNAME. */
function ownOf(container: object, given: Given = {}): { [name: string]: string } | string {
  const composed = compose(container, given);
  if ("problem" in composed) {
    expect(composed.problem.reason).toBe("CreateContainerConfigError");
    return composed.problem.message;
  }
  const own = composed.environment.filter(([name]) => !/^KUBERNETES_|^HOSTNAME$/.test(name));
  return Object.fromEntries(own);
}

const from = (configMapRef: object, prefix?: string) => ({ prefix, configMapRef });

test.each<[string, object, { [name: string]: string } | string]>([
  ["nothing is asked", {}, {}],
  ["values, the last of a name", { env: [v("A", "1"), v("A", "2")] }, { A: "2" }],
  ["an empty value", { env: [{ name: "A" }] }, { A: "" }],
  [
    "all keys of a ConfigMap, whatever their names, not expanded",
    { envFrom: [from({ name: "colours" })] },
    { SKY: "blue", "sea.level": "green", REF: "$(SKY)" },
  ],
  [
    "the later source of a name",
    { envFrom: [from({ name: "colours" }), from({ name: "other" })] },
    { SKY: "grey", "sea.level": "green", REF: "$(SKY)" },
  ],
  ["with a prefix", { envFrom: [from({ name: "other" }, "MY_")] }, { MY_SKY: "grey" }],
  [
    "env over envFrom",
    { envFrom: [from({ name: "other" })], env: [v("SKY", "red")] },
    { SKY: "red" },
  ],
  [
    "a value that refers to envFrom, to an earlier and to a later one",
    {
      envFrom: [from({ name: "other" })],
      env: [v("A", "$(SKY) $(B)"), v("B", "$(A)!"), v("C", "$$(A) $(B)")],
    },
    { SKY: "grey", A: "grey $(B)", B: "grey $(B)!", C: "$(A) grey $(B)!" },
  ],
  [
    "a value that refers to what it replaces",
    { envFrom: [from({ name: "other" })], env: [v("SKY", "dark $(SKY)")] },
    { SKY: "dark grey" },
  ],
  [
    "a value that refers to a service",
    { env: [v("API", "https://$(KUBERNETES_SERVICE_HOST)")] },
    { API: "https://10.0.0.1" },
  ],
  [
    "a Secret, decoded, not expanded",
    { envFrom: [{ secretRef: { name: "login" } }] },
    { USER_NAME: "ann", PASSWORD: "pa$(SKY)s\n" },
  ],
  [
    "single keys",
    {
      env: [
        { name: "A", valueFrom: { configMapKeyRef: { name: "colours", key: "sea.level" } } },
        { name: "B", valueFrom: { secretKeyRef: { name: "login", key: "USER_NAME" } } },
        v("C", "$(A) $(B)"),
      ],
    },
    { A: "green", B: "ann", C: "green ann" },
  ],
  ["a missing ConfigMap", { envFrom: [from({ name: "x" })] }, 'configmap "x" not found'],
  ["a missing Secret", { envFrom: [{ secretRef: { name: "x" } }] }, 'secret "x" not found'],
  ["no keys at all", { envFrom: [from({ name: "empty" })] }, {}],
  [
    "missing but optional sources",
    {
      envFrom: [from({ name: "x", optional: true }), { secretRef: { name: "x", optional: true } }],
    },
    {},
  ],
  ["a key of a missing ConfigMap", keyOf("configMapKeyRef", "x", "k"), 'configmap "x" not found'],
  ["a key of a missing Secret", keyOf("secretKeyRef", "x", "k"), 'secret "x" not found'],
  [
    "a missing key of a ConfigMap",
    keyOf("configMapKeyRef", "colours", "k"),
    "couldn't find key k in ConfigMap work/colours",
  ],
  [
    "a missing key of a Secret",
    keyOf("secretKeyRef", "login", "k"),
    "couldn't find key k in Secret work/login",
  ],
  [
    "a key that every JavaScript object seems to have",
    keyOf("configMapKeyRef", "colours", "constructor"),
    "couldn't find key constructor in ConfigMap work/colours",
  ],
  ["an optional key of nothing", keyOf("configMapKeyRef", "x", "k", true), {}],
  ["an optional key that is missing", keyOf("secretKeyRef", "empty", "k", true), {}],
  [
    "an optional key that is missing leaves what envFrom said",
    {
      envFrom: [from({ name: "other" })],
      env: [
        { name: "SKY", valueFrom: { configMapKeyRef: { name: "x", key: "k", optional: true } } },
      ],
    },
    { SKY: "grey" },
  ],
  [
    "a key of bytes that are no text",
    keyOf("secretKeyRef", "keys", "binary"),
    "the value of key binary in Secret work/keys is not valid UTF-8 and cannot be a variable",
  ],
  [
    "a Secret of bytes that are no text",
    { envFrom: [{ secretRef: { name: "keys" } }] },
    "the value of key binary in Secret work/keys is not valid UTF-8 and cannot be a variable",
  ],
  [
    "a resource",
    { env: [{ name: "CORES", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }] },
    { CORES: "4" },
  ],
  [
    "a resource of nobody",
    {
      env: [
        {
          name: "CORES",
          valueFrom: { resourceFieldRef: { resource: "limits.cpu", containerName: "x" } },
        },
      ],
    },
    "container x not found",
  ],
  [
    "a file",
    { env: [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "f", key: "K" } } }] },
    'cannot find the volume "v" referenced by FileKeyRef',
  ],
])("a container has %s", (_, container, expected) => {
  expect(ownOf(container)).toEqual(expected);
});

function v(name: string, value: string) {
  return { name, value };
}

function keyOf(source: string, name: string, key: string, optional?: boolean) {
  return { env: [{ name: "A", valueFrom: { [source]: { name, key, optional } } }] };
}

test.each([
  ["metadata.name", "p-0"],
  ["metadata.namespace", "work"],
  ["metadata.uid", "u-1"],
  ["metadata.labels['batch.kubernetes.io/job-completion-index']", "7"],
  ["metadata.labels['none']", ""],
  ["metadata.labels['constructor']", ""],
  ["metadata.annotations['example.com/note']", "two\nlines"],
  ["metadata.annotations['none']", ""],
  ["spec.nodeName", "node-1"],
  ["spec.serviceAccountName", "robot"],
  ["status.hostIP", "127.0.0.1"],
  ["status.hostIPs", "127.0.0.1"],
  ["status.podIP", "127.64.0.5"],
  ["status.podIPs", "127.64.0.5"],
])("the field %s is %j", (fieldPath, value) => {
  const metadata = {
    labels: { "batch.kubernetes.io/job-completion-index": "7" },
    annotations: { "example.com/note": "two\nlines" },
  };
  const container = { env: [{ name: "F", valueFrom: { fieldRef: { fieldPath } } }] };
  expect(ownOf(container, { metadata })).toEqual({ F: value });
});

test.each(["status.phase", "metadata.labels", "spec.nodeName['x']", "metadata.labels['']"])(
  "the field %s is none for a variable",
  (fieldPath) => {
    const container = { env: [{ name: "F", valueFrom: { fieldRef: { fieldPath } } }] };
    expect(ownOf(container)).toBe(`unsupported fieldPath: ${fieldPath}`);
  },
);

function hostname(given: Given): string | undefined {
  const composed = compose({}, given);
  if ("problem" in composed) throw new Error(composed.problem.message);
  return new Map(composed.environment).get("HOSTNAME");
}

test.each<[string, Given, string]>([
  ["the name of the pod", {}, "p-0"],
  ["the hostname of the pod", { spec: { hostname: "job-7" } }, "job-7"],
  ["the node's on its network", { spec: { hostNetwork: true, hostname: "h" } }, "node-1"],
  [
    "cut to a label, without a dash at its end",
    { metadata: { name: `${"a".repeat(62)}-${"b".repeat(20)}` } },
    "a".repeat(62),
  ],
])("HOSTNAME is %s", (_, given, expected) => {
  expect(hostname(given)).toBe(expected);
});

test("what is inherited gives way to what is declared, and is not referred to", () => {
  const inherited = [
    ["PATH", "/bin"],
    ["HOME", "/home/me"],
  ] as const;
  const env = [v("PATH", "/opt:$(PATH)"), v("NAME", "$(HOSTNAME)")];
  const composed = compose({ env }, { inherited });
  if ("problem" in composed) throw new Error(composed.problem.message);
  expect(composed.environment.filter(([name]) => !name.startsWith("KUBERNETES_"))).toEqual([
    ["HOME", "/home/me"],
    ["HOSTNAME", "p-0"],
    ["PATH", "/opt:$(PATH)"],
    ["NAME", "$(HOSTNAME)"],
  ]);
  expect(composed.variables.has("HOME")).toBe(false);
  expect(composed.variables.has("HOSTNAME")).toBe(false);
  expect(composed.variables.get("KUBERNETES_SERVICE_HOST")).toBe("10.0.0.1");
});

test("a declared variable hides a service's, and HOSTNAME may be declared", () => {
  const env = [v("KUBERNETES_SERVICE_HOST", "example.com"), v("HOSTNAME", "mine")];
  const composed = compose({ env });
  if ("problem" in composed) throw new Error(composed.problem.message);
  const environment = new Map(composed.environment);
  expect(environment.get("KUBERNETES_SERVICE_HOST")).toBe("example.com");
  expect(environment.get("HOSTNAME")).toBe("mine");
  expect(environment.size).toBe(composed.environment.length);
});

test("service links that are switched off leave the API server", () => {
  const composed = compose({}, { spec: { enableServiceLinks: false } });
  if ("problem" in composed) throw new Error(composed.problem.message);
  expect(composed.variables.get("KUBERNETES_SERVICE_PORT")).toBe("443");
});

test("variables that double each other sixty times are a problem, not a gigabyte", () => {
  const doubling = Array.from({ length: 60 }, (_, at) => v(`V${at + 1}`, `$(V${at})$(V${at})`));
  expect(ownOf({ env: [v("V0", "xx"), ...doubling] })).toContain("the environment is longer than");
});
