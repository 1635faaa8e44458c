import { expect, test } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import type { ResourceQuota } from "../../api/generated/core.ts";
import { openAdmission } from "../admission/admission.ts";
import { enforceQuotas } from "./enforce.ts";
import type { Quotas } from "./quotas.ts";

const NAMESPACE = "/api/v1/namespaces/default";
const QUOTAS = `${NAMESPACE}/resourcequotas`;
const PODS = `${NAMESPACE}/pods`;

function aQuotaServer(): TestServer {
  const open = aServer();
  let quotas: Quotas | undefined;
  const admission = openAdmission(open.store, {
    serviceCidr: "10.96.0.0/16",
    charge: (kind, object, old) => quotas?.charge(kind, object, old),
  });
  const server = { ...open, admission };
  quotas = enforceQuotas(server);
  return server;
}

function addQuota(server: TestServer, hard: object, spec: object = {}, name = "q"): void {
  const told = ask(server, "POST", QUOTAS, { metadata: { name }, spec: { hard, ...spec } });
  if (told.status !== 201) throw new Error(told.text);
}

/** The status is written at the end of the turn. */
async function usedOf(server: TestServer, name = "q"): Promise<unknown> {
  await new Promise((resolve) => setImmediate(resolve));
  return (ask(server, "GET", `${QUOTAS}/${name}`).object as ResourceQuota).status?.used;
}

function addPod(server: TestServer, name: string, spec: object = {}): string {
  const told = ask(server, "POST", PODS, podBody({ name }, { ...spec }));
  return told.status === 201 ? "created" : (told.object as unknown as { message: string }).message;
}

function container(resources: object, name = "c"): object {
  return { name, image: "i", resources };
}

test("a quota reports its usage at once, and exactly after every change", async () => {
  const server = aQuotaServer();
  addPod(server, "before");
  addQuota(server, { pods: "3", "count/pods": "5" });
  expect(await usedOf(server)).toEqual({ pods: "1", "count/pods": "1" });
  addPod(server, "a");
  addPod(server, "b");
  expect(await usedOf(server)).toEqual({ pods: "3", "count/pods": "3" });
  ask(server, "PATCH", `${PODS}/a/status`, { status: { phase: "Succeeded" } });
  expect(await usedOf(server)).toEqual({ pods: "2", "count/pods": "3" });
  ask(server, "DELETE", `${PODS}/a?gracePeriodSeconds=0`);
  ask(server, "DELETE", `${PODS}/b?gracePeriodSeconds=0`);
  expect(await usedOf(server)).toEqual({ pods: "1", "count/pods": "1" });
});

test("an object over quota is rejected with the requested, used and allowed amounts", () => {
  const server = aQuotaServer();
  addQuota(server, { pods: "2", "requests.cpu": "1" });
  const half = { containers: [container({ requests: { cpu: "500m" } })] };
  expect([addPod(server, "a", half), addPod(server, "b", half)]).toEqual(["created", "created"]);
  expect(addPod(server, "c", half)).toBe(
    'pods "c" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=500m, ' +
      "used: pods=2,requests.cpu=1, limited: pods=2,requests.cpu=1",
  );
  ask(server, "PATCH", `${PODS}/a/status`, { status: { phase: "Failed" } });
  expect(addPod(server, "c", half)).toBe("created");
});

test("a quota of cpu or memory requires every container to specify it", () => {
  const server = aQuotaServer();
  addQuota(server, { "limits.memory": "1Gi", cpu: "1", pods: "9" });
  const containers = [container({}, "one"), container({ requests: { cpu: "1m" } }, "two")];
  expect(addPod(server, "p", { containers })).toBe(
    'pods "p" is forbidden: failed quota: q: must specify cpu for: one; limits.memory for: one,two',
  );
});

test("a dry run and a rejected object use no quota", async () => {
  const server = aQuotaServer();
  addQuota(server, { pods: "1" });
  ask(server, "POST", `${PODS}?dryRun=All`, podBody({ name: "dry" }));
  addPod(server, "Wrong_Name");
  expect(await usedOf(server)).toEqual({ pods: "0" });
  expect(addPod(server, "p")).toBe("created");
  expect(ask(server, "POST", `${PODS}?dryRun=All`, podBody({ name: "dry" })).status).toBe(403);
});

test.each([
  ["Terminating", { activeDeadlineSeconds: 5 }, {}],
  ["NotTerminating", {}, { activeDeadlineSeconds: 5 }],
  ["BestEffort", {}, { containers: [container({ requests: { cpu: "1" } })] }],
  ["NotBestEffort", { containers: [container({ requests: { cpu: "1" } })] }, {}],
])("a quota of the scope %s counts only pods in it", async (scope, counted, uncounted) => {
  const server = aQuotaServer();
  addQuota(server, { pods: "1" }, { scopes: [scope] });
  expect(addPod(server, "a", uncounted)).toBe("created");
  expect(addPod(server, "b", counted)).toBe("created");
  expect(addPod(server, "c", counted)).toMatch(/exceeded quota: q/);
  expect(await usedOf(server)).toEqual({ pods: "1" });
});

test("a scope selector chooses by priority class", () => {
  const server = aQuotaServer();
  ask(server, "POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {
    metadata: { name: "high" },
    value: 10,
  });
  const expression = { scopeName: "PriorityClass", operator: "In", values: ["high"] };
  addQuota(server, { pods: "0" }, { scopeSelector: { matchExpressions: [expression] } });
  expect(addPod(server, "low")).toBe("created");
  expect(addPod(server, "high", { priorityClassName: "high" })).toMatch(/exceeded quota/);
});

test.each([
  ["configmaps", { configmaps: "0" }, "configmaps", {}, "configmaps=1"],
  ["jobs by their count", { "count/jobs.batch": "0" }, "jobs", undefined, "count/jobs.batch=1"],
  [
    "Services",
    { "services.nodeports": "0" },
    "services",
    { spec: { type: "NodePort", ports: [{ port: 1 }] } },
    "services.nodeports=1",
  ],
  [
    "claims by storage",
    { "requests.storage": "1Gi" },
    "persistentvolumeclaims",
    { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } } },
    "requests.storage=2Gi",
  ],
])("%s are counted", (_what, hard, resource, body, requested) => {
  const server = aQuotaServer();
  addQuota(server, hard);
  const isJob = resource === "jobs";
  const path = isJob ? "/apis/batch/v1/namespaces/default/jobs" : `${NAMESPACE}/${resource}`;
  const template = { spec: { restartPolicy: "Never", containers: [container({})] } };
  const sent = { metadata: { name: "x" }, ...(body ?? { spec: { template } }) };
  expect(ask(server, "POST", path, sent).object).toMatchObject({
    message: expect.stringContaining(`exceeded quota: q, requested: ${requested}, used: `),
  });
});

test("an update is charged for its increase", () => {
  const server = aQuotaServer();
  addQuota(server, { "services.nodeports": "1" });
  const services = `${NAMESPACE}/services`;
  const ports = [{ port: 1, name: "a" }];
  ask(server, "POST", services, { metadata: { name: "s" }, spec: { type: "NodePort", ports } });
  const more = { spec: { ports: [...ports, { port: 2, name: "b" }] } };
  expect(ask(server, "PATCH", `${services}/s`, more).object).toMatchObject({
    message:
      'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=1, ' +
      "used: services.nodeports=1, limited: services.nodeports=1",
  });
  expect(ask(server, "PATCH", `${services}/s`, { spec: { type: "ClusterIP" } }).status).toBe(200);
});

test("a changed limit applies at once, and a deleted quota no longer applies", async () => {
  const server = aQuotaServer();
  addQuota(server, { pods: "0" });
  expect(addPod(server, "p")).toMatch(/exceeded/);
  ask(server, "PATCH", `${QUOTAS}/q`, { spec: { hard: { pods: "1" } } });
  expect(addPod(server, "p")).toBe("created");
  expect(addPod(server, "o")).toMatch(/exceeded/);
  expect(await usedOf(server)).toEqual({ pods: "1" });
  ask(server, "DELETE", `${QUOTAS}/q`);
  expect(addPod(server, "o")).toBe("created");
});

test("many changes at the same time cause one status update", async () => {
  const server = aQuotaServer();
  addQuota(server, { pods: "100" });
  await usedOf(server);
  const before = server.store.revision;
  for (let at = 0; at < 50; at++) addPod(server, `p${at}`);
  expect(await usedOf(server)).toEqual({ pods: "50" });
  expect(server.store.revision).toBe(before + 51);
});
