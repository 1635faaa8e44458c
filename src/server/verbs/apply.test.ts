import { expect, test } from "vitest";
import {
  configMapBody,
  jobBody,
  podBody,
  statefulSetBody,
} from "../../../test/builders/resources.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import type { ConfigMap } from "../../api/generated/core.ts";
import type { ManagedFieldsEntry } from "../../api/generated/meta.ts";
import { pods } from "../../api/resources.ts";
import { localClient } from "../../client/local.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const SETS = "/apis/apps/v1/namespaces/default/statefulsets";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";

function apply(server: TestServer, url: string, body: unknown, manager: string, more = "") {
  const query = `?fieldManager=${manager}${more}`;
  return ask(server, "PATCH", `${url}${query}`, body, {
    contentType: "application/apply-patch+yaml",
  });
}

function merge(server: TestServer, url: string, body: unknown, manager: string) {
  const headers = { contentType: "application/merge-patch+json" };
  return ask(server, "PATCH", `${url}?fieldManager=${manager}`, body, headers);
}

/** "m1 Apply", "kubelet Update status" */
function managers(server: TestServer, url: string): string[] {
  return entries(server, url).map(({ manager, operation, subresource }) =>
    [manager, operation, subresource].filter(Boolean).join(" "),
  );
}

function entries(server: TestServer, url: string): ManagedFieldsEntry[] {
  return [...(ask(server, "GET", url).object.metadata.managedFields ?? [])];
}

const map = (data?: { [key: string]: string }) => configMapBody({ name: "cm" }, data);

test("with eleven managers the oldest two are merged into ancient-changes", () => {
  const server = aServer();
  ask(server, "POST", `${MAPS}?fieldManager=w00`, map({ k00: "" }));
  for (const number of ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10"]) {
    server.clock.advance(1000);
    merge(server, `${MAPS}/cm`, { data: { [`k${number}`]: "" } }, `w${number}`);
  }
  const [oldest, ...others] = entries(server, `${MAPS}/cm`);
  expect(oldest).toMatchObject({ manager: "ancient-changes", operation: "Update" });
  expect(oldest?.fieldsV1).toEqual({ "f:data": { ".": {}, "f:k00": {}, "f:k01": {} } });
  expect(others).toHaveLength(9);
});

test("untracked fields belong to before-first-apply once an apply happens", () => {
  const server = aServer();
  ask(server, "POST", MAPS, map({ a: "1", b: "1" }));
  merge(server, `${MAPS}/cm`, { metadata: { managedFields: [{}] } }, "w");
  merge(server, `${MAPS}/cm`, { data: { b: "2" } }, "w");
  expect(managers(server, `${MAPS}/cm`)).toEqual([]);
  const refused = apply(server, `${MAPS}/cm`, map({ a: "2" }), "m1");
  expect(JSON.parse(refused.text).message).toBe(
    'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
  );
  apply(server, `${MAPS}/cm`, map({ a: "1" }), "m1");
  expect(managers(server, `${MAPS}/cm`)).toEqual(["m1 Apply", "before-first-apply Update"]);
});

test("spec and status have separate managers", () => {
  const server = aServer();
  ask(server, "POST", `${PODS}?fieldManager=maker`, podBody({ name: "p" }));
  merge(
    server,
    `${PODS}/p/status`,
    { status: { phase: "Running" }, spec: { priority: 5 } },
    "node",
  );
  expect(managers(server, `${PODS}/p`)).toEqual(["maker Update", "node Update status"]);
  const { fieldsV1 } = entries(server, `${PODS}/p`)[1] ?? {};
  expect(fieldsV1).toEqual({ "f:status": { "f:phase": {} } });
});

test("applying the object does not own its status, and applying the status not its spec", () => {
  const server = aServer();
  const job = { ...jobBody({ name: "j" }), status: { active: 3 } };
  expect(apply(server, `${JOBS}/j`, job, "m1").status).toBe(201);
  const status = { ...jobBody({ name: "j" }, { parallelism: 7 }), status: { active: 1 } };
  const applied = apply(server, `${JOBS}/j/status`, status, "m2", "&force=true");
  expect(applied.object).toMatchObject({ spec: { parallelism: 1 }, status: { active: 1 } });
  const [first, second] = entries(server, `${JOBS}/j`);
  expect(first?.fieldsV1).not.toHaveProperty("f:status");
  expect(second?.fieldsV1).toEqual({ "f:status": { "f:active": {} } });
});

test("applying the status of a missing object is answered with 404", () => {
  expect(apply(aServer(), `${JOBS}/j/status`, jobBody({ name: "j" }), "m").status).toBe(404);
});

test("applying a scale owns the replicas of the object", () => {
  const server = aServer();
  ask(
    server,
    "POST",
    `${SETS}?fieldManager=maker`,
    statefulSetBody({ name: "s" }, { replicas: 1 }),
  );
  const scale = (replicas: number) => ({
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "s", namespace: "default" },
    spec: { replicas },
  });
  const refused = apply(server, `${SETS}/s/scale`, scale(2), "scaler");
  expect([refused.status, JSON.parse(refused.text).details.causes[0].field]).toEqual([
    409,
    ".spec.replicas",
  ]);
  const scaled = apply(server, `${SETS}/s/scale`, scale(2), "scaler", "&force=true");
  expect(JSON.parse(scaled.text).spec).toEqual({ replicas: 2 });
  expect(managers(server, `${SETS}/s`)).toEqual(["scaler Apply scale", "maker Update"]);
  const [applied, made] = entries(server, `${SETS}/s`);
  expect(applied).toMatchObject({
    apiVersion: "apps/v1",
    fieldsV1: { "f:spec": { "f:replicas": {} } },
  });
  expect(made?.fieldsV1).toHaveProperty(["f:spec", "f:serviceName"]);
  expect(made?.fieldsV1).not.toHaveProperty(["f:spec", "f:replicas"]);
});

test("a patch of the scale that changes nothing owns nothing", () => {
  const server = aServer();
  ask(
    server,
    "POST",
    `${SETS}?fieldManager=maker`,
    statefulSetBody({ name: "s" }, { replicas: 1 }),
  );
  const before = entries(server, `${SETS}/s`);
  merge(server, `${SETS}/s/scale`, { spec: { replicas: 1 } }, "scaler");
  expect(entries(server, `${SETS}/s`)).toEqual(before);
});

test("duplicate keys are rejected with fieldValidation=Strict", () => {
  const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata: {a: "1", a: "2"}\n';
  const strict = apply(aServer(), `${MAPS}/cm`, body, "m", "&fieldValidation=Strict");
  expect([strict.status, JSON.parse(strict.text).message]).toEqual([
    400,
    "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n" +
      '  line 4: key "a" already set in map',
  ]);
  const lax = apply(aServer(), `${MAPS}/cm`, body, "m", "&fieldValidation=Ignore");
  expect([lax.status, lax.warnings]).toEqual([201, []]);
});

test("applying an equal value in another notation changes nothing", () => {
  const server = aServer();
  const limits = (cpu: string) => ({ limits: { cpu } });
  const pod = (cpu: string) => {
    const containers = [{ name: "c", image: "i", resources: limits(cpu) }];
    return podBody({ name: "p" }, { containers });
  };
  apply(server, `${PODS}/p`, pod("0.5"), "m");
  const first = ask(server, "GET", `${PODS}/p`).object;
  server.clock.advance(5000);
  expect(apply(server, `${PODS}/p`, pod("0.5"), "m").object).toEqual(first);
});

test("managed fields of an unknown version are dropped", () => {
  const server = aServer();
  ask(server, "POST", `${MAPS}?fieldManager=w`, map({ a: "1" }));
  const [entry] = entries(server, `${MAPS}/cm`);
  const managedFields = [{ ...entry, apiVersion: "v9" }];
  merge(server, `${MAPS}/cm`, { metadata: { managedFields }, data: { b: "2" } }, "x");
  expect(managers(server, `${MAPS}/cm`)).toEqual(["x Update"]);
});

test('the default field manager is the User-Agent, or "unknown"', () => {
  const server = aServer();
  ask(server, "POST", MAPS, configMapBody({ name: "a" }, { a: "1" }), { userAgent: "tool/1 (x)" });
  ask(server, "POST", MAPS, configMapBody({ name: "b" }, { a: "1" }), { userAgent: "/" });
  expect(managers(server, `${MAPS}/a`)).toEqual(["tool Update"]);
  expect(managers(server, `${MAPS}/b`)).toEqual(["unknown Update"]);
});

test("pods created by components have managedFields only with tracksAll", async () => {
  const server = aServer();
  await localClient(server).create(pods, podBody({ name: "p" }));
  expect(managers(server, `${PODS}/p`)).toEqual([]);
  const tracking = localClient(server, { manager: "kubelet", tracksAll: true });
  await tracking.create(pods, podBody({ name: "q" }));
  expect(managers(server, `${PODS}/q`)).toEqual(["kubelet Update"]);
});

test("kubectl takes over only fields it applied client-side", () => {
  const server = aServer();
  const last = JSON.stringify(map({ a: "1", b: "1" }));
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": last };
  const body = configMapBody({ name: "cm", annotations }, { a: "1", b: "1" });
  ask(server, "POST", `${MAPS}?fieldManager=kubectl-client-side-apply`, body);
  merge(server, `${MAPS}/cm`, { data: { b: "2" } }, "other");
  const refused = apply(server, `${MAPS}/cm`, map({ a: "3", b: "3" }), "kubectl");
  expect(JSON.parse(refused.text).details.causes).toEqual([
    {
      reason: "FieldManagerConflict",
      message: 'conflict with "other" using v1',
      field: ".data.b",
    },
  ]);
  const taken = apply(server, `${MAPS}/cm`, map({ a: "3" }), "kubectl").object as ConfigMap;
  expect(taken.data).toEqual({ a: "3", b: "2" });
  expect(taken.metadata.annotations).toEqual({
    "kubectl.kubernetes.io/last-applied-configuration":
      '{"apiVersion":"v1","data":{"a":"3"},"kind":"ConfigMap",' +
      '"metadata":{"name":"cm","namespace":"default"}}\n',
  });
});
