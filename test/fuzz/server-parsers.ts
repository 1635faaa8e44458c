/** Parsers as clients reach them: the server must answer every request, and never with 500. */
import { encodeProtobuf } from "../../src/api/schema/protobuf.ts";
import { formatContinue } from "../../src/server/verbs/continue-token.ts";
import { aDefinition, DEFINITIONS } from "../builders/custom-resources.ts";
import { aServer, type TestServer } from "../builders/server.ts";
import { ask, type Headers, type Told } from "../support/ask.ts";
import type { FuzzedParser } from "./parser.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";

const JOB = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "j", labels: { a: "b" }, annotations: { "x.io/y": "z" } },
  spec: {
    completions: 3,
    parallelism: 2,
    completionMode: "Indexed",
    backoffLimitPerIndex: 1,
    podFailurePolicy: {
      rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [1, 2] } }],
    },
    template: {
      metadata: { labels: { a: "b" }, creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: {
        restartPolicy: "Never",
        containers: [
          {
            name: "c",
            image: "i:1",
            command: ["sh", "-c", "true"],
            env: [{ name: "A", value: "$(B)" }],
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: "100m", memory: "1.5Gi" } },
          },
        ],
      },
    },
  },
};

const YAML = `apiVersion: batch/v1
kind: Job
metadata: {name: y, labels: &l {a: b}}
spec:
  completions: 0x3
  template:
    metadata: {labels: *l}
    spec:
      restartPolicy: Never
      containers:
      - name: c
        image: "i"
        command: [sh, -c, |
          echo hello
          ]
`;

let opened: TestServer | undefined;

/** One server for all parsers: no fuzzed request changes it. */
function server(): TestServer {
  if (opened) return opened;
  opened = aServer();
  const { spec } = JOB.spec.template;
  ask(opened, "POST", JOBS, JOB);
  ask(opened, "POST", PODS, { metadata: { name: "p", labels: { a: "b" } }, spec });
  return opened;
}

/**
 * Checks the law: every answer has a message without a stack trace, and no status of 500 or above.
 */
function judged({ status, text }: Told): string {
  if (status >= 500) throw new TypeError(`answered ${status}: ${text}`);
  if (/\n\s+at |node:internal|\.ts:\d/.test(text)) throw new TypeError(`a stack: ${text}`);
  return `${status} ${/"message":"((?:[^"\\]|\\.)*)/.exec(text)?.[1] ?? ""}`;
}

function sent(method: string, url: string, headers: Headers): FuzzedParser["read"] {
  return (input) => judged(ask(server(), method, url, input, headers));
}

function queried(url: string, parameter: string): FuzzedParser["read"] {
  return (input) => {
    const value = encodeURIComponent(input.toString("utf8"));
    return judged(ask(server(), "GET", `${url}?${parameter}=${value}`));
  };
}

const patch = (name: string, type: string, seeds: readonly unknown[]): FuzzedParser => ({
  name,
  seeds: seeds.map((seed) => (typeof seed === "string" ? seed : JSON.stringify(seed))),
  read: sent("PATCH", `${JOBS}/j?dryRun=All&fieldManager=m`, { contentType: type }),
});

const container = { name: "c", image: "j" };

export const SERVER_PARSERS: readonly FuzzedParser[] = [
  {
    name: "json-body",
    seeds: [JSON.stringify(JOB), '{"metadata":{"name":"a"},"spec":null}', "[]", "1"],
    read: sent("POST", `${JOBS}?dryRun=All&fieldValidation=Strict`, {
      contentType: "application/json",
    }),
  },
  {
    name: "yaml-body",
    seeds: [YAML, "a: &a [1, 2]\nb: *a\n", "!!binary aGk=\n", "'it''s'", "- - - a\n  - b"],
    read: sent("POST", `${JOBS}?dryRun=All`, { contentType: "application/yaml" }),
  },
  {
    name: "protobuf-body",
    seeds: [Buffer.from(encodeProtobuf(JOB, "batch/v1.Job")), "k8s\0", "k8s\0\x0a\x00\x12\x00"],
    read: sent("POST", `${JOBS}?dryRun=All`, {
      contentType: "application/vnd.kubernetes.protobuf",
    }),
  },
  patch("json-patch", "application/json-patch+json", [
    [
      { op: "replace", path: "/spec/parallelism", value: 1 },
      { op: "test", path: "/metadata/name", value: "j" },
      { op: "copy", from: "/metadata/labels", path: "/metadata/annotations" },
      { op: "move", from: "/metadata/labels/a", path: "/metadata/labels/b~1c" },
      { op: "remove", path: "/spec/template/spec/containers/0/env/-1" },
      { op: "add", path: "/metadata/finalizers/-", value: "x.io/y" },
    ],
  ]),
  patch("merge-patch", "application/merge-patch+json", [
    { spec: { parallelism: 1, completions: null }, metadata: { labels: { a: null, b: "c" } } },
  ]),
  patch("strategic-patch", "application/strategic-merge-patch+json", [
    {
      spec: {
        template: { spec: { containers: [container], $retainKeys: ["containers"] } },
        $patch: "replace",
      },
    },
    {
      metadata: { finalizers: ["a.io/b"], "$deleteFromPrimitiveList/finalizers": ["c.io/d"] },
      spec: {
        template: {
          spec: {
            "$setElementOrder/containers": [{ name: "c" }, { name: "d" }],
            containers: [container, { name: "d", $patch: "delete" }],
          },
        },
      },
    },
  ]),
  patch("apply-patch", "application/apply-patch+yaml", [JOB, YAML.replace("name: y", "name: j")]),
  {
    name: "managed-fields",
    seeds: [
      JSON.stringify({ "f:metadata": { "f:labels": { "f:a": {}, ".": {} } } }),
      '{"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{}},"v:\\"a\\"":{},"i:3":{}}}}',
    ],
    read: (input) => {
      const manager = { manager: "m", operation: "Update", apiVersion: "v1" };
      const entry = JSON.stringify({ ...manager, fieldsType: "FieldsV1", fieldsV1: "HERE" });
      const managed = entry.replace('"HERE"', () => input.toString("utf8"));
      const body = `{"metadata":{"name":"m","managedFields":[${managed}]}}`;
      const url = "/api/v1/namespaces/default/configmaps?dryRun=All";
      return judged(ask(server(), "POST", url, body));
    },
  },
  {
    name: "label-selector",
    seeds: ["a=b,c!=d", "a in (b, c),!d", "x.io/y notin (z),e,f>1,g<2", "a==", "a in ()"],
    read: queried(PODS, "labelSelector"),
  },
  {
    name: "field-selector",
    seeds: ["metadata.name=p,status.phase!=Running", "spec.nodeName==", "a\\,b=c\\=d"],
    read: queried(PODS, "fieldSelector"),
  },
  {
    name: "continue-token",
    seeds: [
      formatContinue(3, { namespace: "default", name: "p" }, "default"),
      formatContinue(3, { namespace: "default", name: "p" }, undefined),
      '{"v":"meta.k8s.io/v1","rv":3,"start":"p\\u0000"}',
    ],
    read: (input) => {
      const isText = input[0] === 0x7b;
      const token = isText ? input.toString("base64url") : input.toString("utf8");
      const query = `limit=1&continue=${encodeURIComponent(token)}`;
      return judged(ask(server(), "GET", `${PODS}?${query}`));
    },
  },
  {
    name: "accept-header",
    seeds: [
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
      "application/vnd.kubernetes.protobuf;q=0.5, */*",
      'text/html;level="1\\"2";q=1',
    ],
    read: (input) =>
      judged(ask(server(), "GET", PODS, undefined, { accept: input.toString("utf8") })),
  },
  {
    name: "path",
    seeds: ["/api/v1/namespaces/default/pods/p/status", "/apis/batch/v1/watch/jobs", "/openapi/v3"],
    read: (input) => {
      const path = `/${input.toString("latin1").replace(/[?#]/g, "")}`;
      // Watches and streams are not requested.
      if (/\/watch\/|log$|exec|attach|portforward/.test(decoded(path))) return "not asked";
      return judged(ask(server(), "GET", path));
    },
  },
  {
    name: "schema-of-a-definition",
    seeds: [
      JSON.stringify({
        type: "object",
        properties: {
          a: { type: "string", pattern: "^[a-z]+$", maxLength: 5, default: "a" },
          b: { type: "array", items: { type: "integer", minimum: 1 }, maxItems: 3 },
          c: { "x-kubernetes-int-or-string": true },
        },
        required: ["a"],
        "x-kubernetes-validations": [{ rule: "self.b.all(x, x > 1)", message: "m" }],
      }),
    ],
    read: (input) => {
      const text = JSON.stringify(aDefinition({ spec: { type: "HERE" } }));
      const body = text.replace('{"type":"HERE"}', () => input.toString("utf8"));
      return judged(ask(server(), "POST", `${DEFINITIONS}?dryRun=All`, body));
    },
  },
];

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
