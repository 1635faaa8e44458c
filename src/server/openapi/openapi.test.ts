import { expect, test } from "vitest";
import { defineKind, type Kind } from "../../kinds/kind.ts";
import { openapiDocument, openapiIndex } from "./openapi.ts";

function aKind(facts: Partial<Kind> & Pick<Kind, "kind" | "resource">): Kind {
  return defineKind({
    group: "",
    version: "v1",
    singular: facts.kind.toLowerCase(),
    namespaced: true,
    message: `core/v1.${facts.kind}`,
    rules: { validate: () => [], validateUpdate: () => [] },
    columns: [],
    cells: () => [],
    ...facts,
  });
}

const status = { name: "status", verbs: ["get", "patch", "update"] } as const;
const scale = { ...status, name: "scale", group: "autoscaling", version: "v1", kind: "Scale" };
const eviction = {
  name: "eviction",
  verbs: ["create"],
  group: "policy",
  kind: "Eviction",
} as const;

const kinds: readonly Kind[] = [
  aKind({ group: "batch", kind: "Job", resource: "jobs", subresources: [status] }),
  aKind({ group: "batch", kind: "CronJob", resource: "cronjobs", subresources: [status] }),
  aKind({ group: "apps", kind: "StatefulSet", resource: "statefulsets", subresources: [scale] }),
  aKind({
    kind: "Pod",
    resource: "pods",
    subresources: [
      status,
      { ...eviction, version: "v1" },
      { name: "log", verbs: ["get"] },
      { name: "exec", verbs: ["get", "create"] },
    ],
    deletion: { returnsObject: true },
  }),
  aKind({ kind: "Node", resource: "nodes", namespaced: false }),
  aKind({
    group: "authorization.k8s.io",
    kind: "SelfSubjectAccessReview",
    resource: "selfsubjectaccessreviews",
    namespaced: false,
    verbs: ["create"],
  }),
];

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly [mediaType: string]: unknown } };
  readonly responses: { readonly [code: string]: unknown };
  readonly "x-kubernetes-action": string;
  readonly "x-kubernetes-group-version-kind": object;
}

interface Document {
  readonly openapi: string;
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: {
    readonly schemas: { readonly [name: string]: { readonly [keyword: string]: unknown } };
  };
}

function documentAt(path: string): Document {
  const document = openapiDocument(path, kinds);
  if (document === undefined) throw new Error(`no document at ${path}`);
  return JSON.parse(document.text);
}

const PATHS = ["api/v1", "apis/apps/v1", "apis/authorization.k8s.io/v1", "apis/batch/v1"];
const JOB = { group: "batch", kind: "Job", version: "v1" };

function operationsIn(document: Document): [string, Operation][] {
  return Object.values(document.paths).flatMap((methods) =>
    Object.entries(methods).filter(([method]) => method !== "parameters"),
  );
}

test("the index lists a document per group version, with its hash", () => {
  const { paths } = openapiIndex(kinds);
  expect(Object.keys(paths)).toEqual(PATHS);
  const hash = openapiDocument("apis/batch/v1", kinds)?.hash;
  expect(hash).toMatch(/^[0-9A-F]{64}$/);
  expect(paths["apis/batch/v1"]).toEqual({
    serverRelativeURL: `/openapi/v3/apis/batch/v1?hash=${hash}`,
  });
});

test("there is no document for a group version without kinds", () => {
  expect(openapiDocument("apis/batch/v2", kinds)).toBeUndefined();
});

test("the hash depends only on the kinds, not on the time or number of requests", () => {
  const first = openapiDocument("apis/batch/v1", kinds);
  expect(openapiDocument("apis/batch/v1", kinds)).toBe(first);
  expect(openapiDocument("apis/batch/v1", [...kinds])).toEqual(first);
  const fewer = kinds.filter(({ kind }) => kind !== "CronJob");
  expect(openapiDocument("apis/batch/v1", fewer)?.hash).not.toBe(first?.hash);
});

test("the patch operation of a Job has what kubectl requires for apply", () => {
  const path = "/apis/batch/v1/namespaces/{namespace}/jobs/{name}";
  const patch = documentAt("apis/batch/v1").paths[path]?.["patch"];
  expect(patch?.["x-kubernetes-group-version-kind"]).toEqual(JOB);
  expect(patch?.["x-kubernetes-action"]).toBe("patch");
  expect(patch?.parameters).toContainEqual(
    expect.objectContaining({ name: "fieldValidation", in: "query" }),
  );
  expect(Object.keys(patch?.requestBody?.content ?? {})).toEqual([
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
  ]);
});

test("every patch operation offers fieldValidation, since kubectl uses the first it finds", () => {
  for (const path of PATHS) {
    for (const [method, operation] of operationsIn(documentAt(path))) {
      if (method !== "patch") continue;
      const names = operation.parameters?.map(({ name }) => name);
      expect(names, operation.operationId).toContain("fieldValidation");
    }
  }
});

test("a Job can be listed, created, read, replaced, patched and deleted", () => {
  const { paths } = documentAt("apis/batch/v1");
  const methods = Object.entries(paths).map(([path, item]) => {
    const actions = Object.entries(item).filter(([method]) => method !== "parameters");
    return [path, actions.map(([method, operation]) => [method, operation["x-kubernetes-action"]])];
  });
  const jobs = methods.filter(([path]) => String(path).includes("/jobs"));
  expect(jobs).toEqual([
    [
      "/apis/batch/v1/namespaces/{namespace}/jobs",
      [
        ["get", "list"],
        ["post", "post"],
        ["delete", "deletecollection"],
      ],
    ],
    ["/apis/batch/v1/jobs", [["get", "list"]]],
    [
      "/apis/batch/v1/namespaces/{namespace}/jobs/{name}",
      [
        ["get", "get"],
        ["put", "put"],
        ["patch", "patch"],
        ["delete", "delete"],
      ],
    ],
    [
      "/apis/batch/v1/namespaces/{namespace}/jobs/{name}/status",
      [
        ["get", "get"],
        ["put", "put"],
        ["patch", "patch"],
      ],
    ],
  ]);
});

test("a cluster-scoped kind has no namespace in its paths", () => {
  const paths = Object.keys(documentAt("api/v1").paths).filter((path) => path.includes("/nodes"));
  expect(paths).toEqual(["/api/v1/nodes", "/api/v1/nodes/{name}"]);
});

test("a subresource names the kind of its payload", () => {
  const { paths } = documentAt("apis/apps/v1");
  const path = "/apis/apps/v1/namespaces/{namespace}/statefulsets/{name}/scale";
  expect(paths[path]?.["patch"]?.["x-kubernetes-group-version-kind"]).toEqual({
    group: "autoscaling",
    kind: "Scale",
    version: "v1",
  });
});

test("a stream subresource returns text, not an object", () => {
  const { paths } = documentAt("api/v1");
  const path = "/api/v1/namespaces/{namespace}/pods/{name}/exec";
  expect(paths[path]?.["get"]?.["x-kubernetes-action"]).toBe("connect");
  expect(JSON.stringify(paths[path]?.["get"]?.responses)).not.toContain("$ref");
});

test("a kind that can only be created has only a post operation", () => {
  const { paths } = documentAt("apis/authorization.k8s.io/v1");
  expect(Object.entries(paths).map(([path, item]) => [path, Object.keys(item)])).toEqual([
    ["/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", ["post", "parameters"]],
  ]);
});

test.each(PATHS)("every reference in %s leads to a schema", (path) => {
  const document = documentAt(path);
  const references = JSON.stringify(document).matchAll(
    /"\$ref":"#\/components\/schemas\/([^"]+)"/g,
  );
  for (const [, name] of references)
    expect(document.components.schemas).toHaveProperty([name ?? ""]);
});

test("operation IDs are unique over all documents", () => {
  const names = PATHS.flatMap((path) => operationsIn(documentAt(path))).map(
    ([, operation]) => operation.operationId,
  );
  expect(new Set(names).size).toBe(names.length);
});

test("a kind's schema names its kind and has descriptions", () => {
  const job = documentAt("apis/batch/v1").components.schemas["io.k8s.api.batch.v1.Job"];
  expect(job).toMatchObject({
    description: expect.stringContaining("pods"),
    "x-kubernetes-group-version-kind": [JOB],
    properties: { spec: { description: expect.any(String) } },
  });
});

test("a schema keeps the keywords that strategic merge needs", () => {
  const { schemas } = documentAt("apis/batch/v1").components;
  expect(schemas["io.k8s.api.core.v1.PodSpec"]).toMatchObject({
    properties: {
      containers: {
        "x-kubernetes-patch-merge-key": "name",
        "x-kubernetes-patch-strategy": "merge",
      },
    },
  });
});
