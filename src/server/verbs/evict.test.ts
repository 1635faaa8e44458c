import { expect, test } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const PODS = "/api/v1/namespaces/default/pods";
const EVICTION = `${PODS}/p/eviction`;
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

/** A server with a running, ready pod. */
function aRunningPod(): TestServer {
  const server = aServer();
  ask(server, "POST", PODS, podBody({ name: "p", labels: { app: "x" } }, { nodeName: "n" }));
  const conditions = [{ type: "Ready", status: "True" }];
  ask(server, "PATCH", `${PODS}/p/status`, { status: { phase: "Running", conditions } });
  return server;
}

function allow(server: TestServer, disruptionsAllowed: number): void {
  const spec = { minAvailable: 1, selector: { matchLabels: { app: "x" } } };
  ask(server, "POST", BUDGETS, { metadata: { name: "b" }, spec });
  const counts = { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 };
  const status = { observedGeneration: 1, disruptionsAllowed, ...counts };
  ask(server, "PATCH", `${BUDGETS}/b/status`, { status });
}

const eviction = (deleteOptions: object = {}) => ({ metadata: { name: "p" }, deleteOptions });

test("an evicted pod gets the condition DisruptionTarget and its grace period", () => {
  const server = aRunningPod();
  expect(ask(server, "POST", EVICTION, eviction()).status).toBe(201);
  const { object } = ask(server, "GET", `${PODS}/p`);
  expect(object.metadata.deletionGracePeriodSeconds).toBe(30);
  expect(object).toMatchObject({
    status: { conditions: [{ type: "Ready" }, { type: "DisruptionTarget", status: "True" }] },
  });
});

test("evicting again changes nothing", () => {
  const server = aRunningPod();
  ask(server, "POST", EVICTION, eviction());
  const before = server.store.revision;
  server.clock.advance(5000);
  expect(ask(server, "POST", EVICTION, eviction()).status).toBe(201);
  expect(server.store.revision).toBe(before);
});

test("an eviction decrements the disruptions that a budget allows", () => {
  const server = aRunningPod();
  allow(server, 1);
  expect(ask(server, "POST", EVICTION, eviction()).status).toBe(201);
  expect(ask(server, "GET", `${BUDGETS}/b`).object).toMatchObject({
    status: { disruptionsAllowed: 0, disruptedPods: { p: "2026-01-01T00:00:00Z" } },
  });
});

test("a pod protected by a budget is not changed", () => {
  const server = aRunningPod();
  allow(server, 0);
  const before = server.store.revision;
  expect(ask(server, "POST", EVICTION, eviction())).toMatchObject({
    status: 429,
    object: { reason: "TooManyRequests" },
  });
  expect(server.store.revision).toBe(before);
});

test.each([
  [{ uid: "other" }, /^Operation cannot be fulfilled on Pod "p": the UID in the precondition/],
  [{ resourceVersion: "1" }, /the ResourceVersion in the precondition \(1\) does not match/],
])("a pod that does not match the preconditions is not evicted: %j", (preconditions, message) => {
  const server = aRunningPod();
  allow(server, 1);
  const before = server.store.revision;
  expect(ask(server, "POST", EVICTION, eviction({ preconditions }))).toMatchObject({
    status: 409,
    object: { message: expect.stringMatching(message) },
  });
  expect(server.store.revision).toBe(before);
});

test("the resourceVersion precondition refers to the state before the eviction", () => {
  const server = aRunningPod();
  const { resourceVersion } = ask(server, "GET", `${PODS}/p`).object.metadata;
  const options = { preconditions: { resourceVersion }, gracePeriodSeconds: 0 };
  expect(ask(server, "POST", EVICTION, eviction(options)).status).toBe(201);
  expect(ask(server, "GET", `${PODS}/p`).status).toBe(404);
});

test("an eviction with another name is rejected", () => {
  expect(ask(aRunningPod(), "POST", EVICTION, { metadata: { name: "q" } })).toMatchObject({
    status: 400,
    object: { message: "name in URL does not match name in Eviction object" },
  });
});

test.each([
  ["in the query", `${EVICTION}?dryRun=All`, eviction()],
  ["in the options", EVICTION, eviction({ dryRun: ["All"] })],
])("a dry run %s evicts nothing", (_, url, body) => {
  const server = aRunningPod();
  allow(server, 1);
  const before = server.store.revision;
  expect(ask(server, "POST", url, body).status).toBe(201);
  expect(server.store.revision).toBe(before);
});

test("an eviction in the version policy/v1beta1 is accepted", () => {
  const server = aRunningPod();
  const old = { apiVersion: "policy/v1beta1", kind: "Eviction", ...eviction() };
  expect(ask(server, "POST", EVICTION, old).status).toBe(201);
});
