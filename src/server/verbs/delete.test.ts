import { expect, test } from "vitest";
import { jobBody, podBody } from "../../../test/builders/resources.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

function aPodOnANode(spec: object = {}): TestServer {
  const server = aServer();
  ask(server, "POST", PODS, podBody({ name: "p" }, { nodeName: "n", ...spec }));
  return server;
}

test("the answer names the deleted object", () => {
  const server = aServer();
  const { uid } = ask(server, "POST", CONFIG_MAPS, { metadata: { name: "a" } }).object.metadata;
  expect(ask(server, "DELETE", `${CONFIG_MAPS}/a`).object).toMatchObject({
    kind: "Status",
    status: "Success",
    details: { name: "a", kind: "configmaps", uid },
  });
});

test("a Job deleted without a policy keeps its pods, and the client is warned", () => {
  const server = aServer();
  for (const name of ["a", "b"]) ask(server, "POST", JOBS, jobBody({ name }));
  const [silent, decided] = [
    ask(server, "DELETE", `${JOBS}/a`),
    ask(server, "DELETE", `${JOBS}/b?propagationPolicy=Orphan`),
  ];
  expect(silent.object.metadata.finalizers).toEqual(["orphan"]);
  expect(silent.warnings).toEqual([expect.stringMatching(/^child pods are preserved by default/)]);
  expect(decided.warnings).toEqual([]);
});

test.each([
  ["propagationPolicy=Later", 'propagationPolicy: Unsupported value: "Later"'],
  [
    "propagationPolicy=Orphan&orphanDependents=true",
    "orphanDependents and deletionPropagation cannot be both set",
  ],
  ["dryRun=Some", "dryRun: Unsupported value"],
])("the options %s are rejected, and nothing is deleted", (query, problem) => {
  const server = aServer();
  ask(server, "POST", CONFIG_MAPS, { metadata: { name: "a" } });
  const { status, object } = ask(server, "DELETE", `${CONFIG_MAPS}/a?${query}`);
  expect(status).toBe(422);
  expect((object as unknown as { message: string }).message).toContain(problem);
  expect(ask(server, "GET", `${CONFIG_MAPS}/a`).status).toBe(200);
});

test("a new policy replaces the garbage collector's finalizer and keeps others", () => {
  const server = aServer();
  const body = jobBody({ name: "a", finalizers: ["example.com/a", "orphan"] });
  ask(server, "POST", JOBS, body);
  const after = (query: string) =>
    ask(server, "DELETE", `${JOBS}/a?${query}`).object.metadata.finalizers;
  expect(after("propagationPolicy=Foreground")).toEqual(["example.com/a", "foregroundDeletion"]);
  expect(after("")).toEqual(["example.com/a", "foregroundDeletion"]);
  expect(after("propagationPolicy=Background")).toEqual(["example.com/a"]);
});

test("repeated deletions increase the generation only once", () => {
  const server = aServer();
  ask(server, "POST", JOBS, jobBody({ name: "a", finalizers: ["example.com/a"] }));
  const marked = ask(server, "DELETE", `${JOBS}/a?propagationPolicy=Background`).object.metadata;
  server.clock.advance(5000);
  const again = ask(server, "DELETE", `${JOBS}/a?propagationPolicy=Background`).object.metadata;
  expect([marked.generation, again.generation]).toEqual([2, 2]);
  expect(again.deletionTimestamp).toBe("2026-01-01T00:00:00Z");
});

test("a deleted pod on a node gets its deletion time and grace period", () => {
  const server = aPodOnANode({ terminationGracePeriodSeconds: 40 });
  const { object } = ask(server, "DELETE", `${PODS}/p`);
  expect(object.metadata).toMatchObject({
    deletionTimestamp: "2026-01-01T00:00:40Z",
    deletionGracePeriodSeconds: 40,
  });
});

test("a shorter grace period counts from the start of the deletion", () => {
  const server = aPodOnANode();
  ask(server, "DELETE", `${PODS}/p?gracePeriodSeconds=30`);
  server.clock.advance(10_000);
  const { object } = ask(server, "DELETE", `${PODS}/p?gracePeriodSeconds=12`);
  expect(object.metadata).toMatchObject({
    deletionTimestamp: "2026-01-01T00:00:12Z",
    deletionGracePeriodSeconds: 12,
  });
});

test("a pod with an expired grace period is removed, unless a finalizer holds it", () => {
  const free = aPodOnANode();
  ask(free, "DELETE", `${PODS}/p`);
  expect(ask(free, "DELETE", `${PODS}/p?gracePeriodSeconds=0`).status).toBe(200);
  expect(ask(free, "GET", `${PODS}/p`).status).toBe(404);

  const held = aPodOnANode();
  ask(held, "PATCH", `${PODS}/p`, {
    metadata: { finalizers: ["batch.kubernetes.io/job-tracking"] },
  });
  ask(held, "DELETE", `${PODS}/p?gracePeriodSeconds=0`);
  expect(ask(held, "GET", `${PODS}/p`).status).toBe(200);
  ask(held, "PATCH", `${PODS}/p`, { metadata: { finalizers: null } });
  expect(ask(held, "GET", `${PODS}/p`).status).toBe(404);
});

test("a pod in its grace period stays when its last finalizer is removed", () => {
  const server = aPodOnANode();
  ask(server, "PATCH", `${PODS}/p`, { metadata: { finalizers: ["example.com/a"] } });
  ask(server, "DELETE", `${PODS}/p`);
  ask(server, "PATCH", `${PODS}/p`, { metadata: { finalizers: null } });
  expect(ask(server, "GET", `${PODS}/p`).status).toBe(200);
});

test("a pod that has ended is removed at once", () => {
  const server = aPodOnANode();
  ask(server, "PATCH", `${PODS}/p/status`, { status: { phase: "Succeeded" } });
  ask(server, "DELETE", `${PODS}/p`);
  expect(ask(server, "GET", `${PODS}/p`).status).toBe(404);
});

test("a negative grace period counts as one second", () => {
  const server = aPodOnANode();
  const { object } = ask(server, "DELETE", `${PODS}/p?gracePeriodSeconds=-5`);
  expect(object.metadata.deletionGracePeriodSeconds).toBe(1);
});

test("options in the body replace those in the query", () => {
  const server = aPodOnANode();
  const body = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 7 };
  const { object } = ask(server, "DELETE", `${PODS}/p?gracePeriodSeconds=3`, body);
  expect(object.metadata.deletionGracePeriodSeconds).toBe(7);
});

test("deleting a collection honours its selectors", () => {
  const server = aServer();
  for (const [name, n] of [
    ["a", "1"],
    ["b", "2"],
    ["c", "1"],
  ]) {
    ask(server, "POST", CONFIG_MAPS, { metadata: { name, labels: { n } } });
  }
  const { object } = ask(server, "DELETE", `${CONFIG_MAPS}?labelSelector=n%3D1`);
  const names = (list: unknown) =>
    (list as { items: { metadata: { name: string } }[] }).items.map(
      ({ metadata }) => metadata.name,
    );
  expect(names(object)).toEqual(["a", "c"]);
  expect(names(ask(server, "GET", CONFIG_MAPS).object)).toEqual(["b"]);
});

test("repeating a pending deletion changes nothing", () => {
  const server = aServer();
  const body = { metadata: { name: "held", finalizers: ["a.b/c"] } };
  ask(server, "POST", "/api/v1/namespaces/default/configmaps", body);
  const url = "/api/v1/namespaces/default/configmaps/held";
  const first = ask(server, "DELETE", url).object;
  expect(ask(server, "DELETE", url).object).toEqual(first);
  expect(ask(server, "DELETE", `${url}?propagationPolicy=Foreground`).object).not.toEqual(first);
});

test("foreground deletion of an event removes it at once", () => {
  const server = aServer();
  const events = "/api/v1/namespaces/default/events";
  ask(server, "POST", events, {
    metadata: { name: "e" },
    involvedObject: { namespace: "default" },
  });
  expect(ask(server, "DELETE", `${events}/e?propagationPolicy=Foreground`).status).toBe(200);
  expect(ask(server, "GET", `${events}/e`).status).toBe(404);
});

test("unchanged finalizers keep their order", () => {
  const server = aServer();
  const finalizers = ["orphan", "a.b/c"];
  ask(server, "POST", CONFIG_MAPS, { metadata: { name: "held", finalizers } });
  const { object } = ask(server, "DELETE", `${CONFIG_MAPS}/held?propagationPolicy=Orphan`);
  expect(object.metadata.finalizers).toEqual(finalizers);
});

test("an object held only by the garbage collector's finalizer is removed in one step", () => {
  const server = aServer();
  const finalizers = ["foregroundDeletion"];
  ask(server, "POST", CONFIG_MAPS, { metadata: { name: "held", finalizers } });
  const before = server.store.revision;
  ask(server, "DELETE", `${CONFIG_MAPS}/held?propagationPolicy=Background`);
  expect(server.store.revision).toBe(before + 1);
  expect(ask(server, "GET", `${CONFIG_MAPS}/held`).status).toBe(404);
});

test("a namespace gets the orphan finalizer on request", () => {
  const server = aServer();
  ask(server, "POST", "/api/v1/namespaces", { metadata: { name: "n" } });
  const { object } = ask(server, "DELETE", "/api/v1/namespaces/n?propagationPolicy=Orphan");
  expect(object.metadata.finalizers).toEqual(["orphan"]);
});

test("a ReplicationController orphans its pods by default, without a warning", () => {
  const server = aServer();
  const controllers = "/api/v1/namespaces/default/replicationcontrollers";
  const template = {
    metadata: { labels: { app: "x" } },
    spec: { containers: [{ name: "c", image: "busybox:1.36" }] },
  };
  ask(server, "POST", controllers, { metadata: { name: "rc" }, spec: { template } });
  const { object, warnings } = ask(server, "DELETE", `${controllers}/rc`);
  expect(object.metadata.finalizers).toEqual(["orphan"]);
  expect(warnings).toEqual([]);
});
