import { expect, test } from "vitest";
import { jobBody, statefulSetBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

/** A server with the ConfigMap "a". */
function serverWithOne(metadata: object = {}) {
  const server = aServer();
  const body = { metadata: { name: "a", ...metadata }, data: { k: "v" } };
  const { object } = ask(server, "POST", CONFIG_MAPS, body);
  return {
    server,
    made: object,
    put: (next: object) => ask(server, "PUT", `${CONFIG_MAPS}/a`, next),
  };
}

test("system fields of metadata are kept when the client omits them", () => {
  const { put, made } = serverWithOne();
  const { object } = put({ metadata: { name: "a" }, data: { k: "w" } });
  const { uid, creationTimestamp, namespace } = made.metadata;
  expect(object.metadata).toMatchObject({ uid, creationTimestamp, namespace });
});

test("labels and annotations are replaced, not merged", () => {
  const { put } = serverWithOne({ labels: { a: "1" }, annotations: { b: "2" } });
  const { object } = put({ metadata: { name: "a", labels: { c: "3" } } });
  expect(object.metadata.labels).toEqual({ c: "3" });
  expect(object.metadata).not.toHaveProperty("annotations");
});

test.each([
  [
    "no name",
    { metadata: {} },
    400,
    "the name of the object (a based on URL) was undeterminable: name must be provided",
  ],
  [
    "another name",
    { metadata: { name: "b" } },
    400,
    "the name of the object (b) does not match the name on the URL (a)",
  ],
  [
    "another namespace",
    { metadata: { name: "a", namespace: "kube-public" } },
    400,
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
  [
    "a revision that is not a number",
    { metadata: { name: "a", resourceVersion: "new" } },
    400,
    'strconv.ParseUint: parsing "new": invalid syntax',
  ],
  [
    "another revision",
    { metadata: { name: "a", resourceVersion: "1" } },
    409,
    'Operation cannot be fulfilled on configmaps "a": the object has been modified; ' +
      "please apply your changes to the latest version and try again",
  ],
])("an update with %s is rejected", (_, body, status, message) => {
  const { server, put } = serverWithOne();
  const before = server.store.revision;
  expect(put(body)).toMatchObject({ status, object: { message } });
  expect(server.store.revision).toBe(before);
});

test("resourceVersion 0 matches any revision", () => {
  const { put } = serverWithOne();
  expect(put({ metadata: { name: "a", resourceVersion: "0" } }).status).toBe(200);
});

test("PUT creates a missing Lease, but not a missing ConfigMap", () => {
  const server = aServer();
  const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a";
  const body = { metadata: { name: "a" } };
  expect(ask(server, "PUT", lease, body).status).toBe(201);
  expect(ask(server, "PUT", `${CONFIG_MAPS}/a`, body).status).toBe(404);
});

test("updating a Lease requires a resourceVersion", () => {
  const server = aServer();
  const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a";
  const { object } = ask(server, "PUT", lease, { metadata: { name: "a" } });
  expect(ask(server, "PUT", lease, { metadata: { name: "a" } })).toMatchObject({
    status: 422,
    object: {
      message:
        'leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: ' +
        "Invalid value: 0: must be specified for an update",
    },
  });
  expect(ask(server, "PUT", lease, object).status).toBe(200);
});

test("PUT with a uid or resourceVersion does not create a missing object", () => {
  const server = aServer();
  const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a";
  for (const meant of [{ uid: "u" }, { resourceVersion: "5" }]) {
    expect(ask(server, "PUT", lease, { metadata: { name: "a", ...meant } }).status).toBe(409);
  }
  expect(ask(server, "GET", lease).status).toBe(404);
});

test("removing the last finalizer removes an object that is being deleted", () => {
  const { server, put } = serverWithOne({ finalizers: ["example.com/a", "example.com/b"] });
  ask(server, "DELETE", `${CONFIG_MAPS}/a`);
  put({ metadata: { name: "a", finalizers: ["example.com/b"] } });
  expect(ask(server, "GET", `${CONFIG_MAPS}/a`).status).toBe(200);
  expect(put({ metadata: { name: "a" } }).status).toBe(200);
  expect(ask(server, "GET", `${CONFIG_MAPS}/a`).status).toBe(404);
});

test("a dry run of that removal keeps the object", () => {
  const { server } = serverWithOne({ finalizers: ["example.com/a"] });
  ask(server, "DELETE", `${CONFIG_MAPS}/a`);
  const free = { metadata: { finalizers: null } };
  expect(ask(server, "PATCH", `${CONFIG_MAPS}/a?dryRun=All`, free).status).toBe(200);
  expect(ask(server, "GET", `${CONFIG_MAPS}/a`).object.metadata.finalizers).toHaveLength(1);
});

test("no finalizer can be added to an object that is being deleted", () => {
  const { server } = serverWithOne({ finalizers: ["example.com/a"] });
  ask(server, "DELETE", `${CONFIG_MAPS}/a`);
  const more = { metadata: { finalizers: ["example.com/a", "example.com/b"] } };
  const { status, object } = ask(server, "PATCH", `${CONFIG_MAPS}/a`, more);
  expect(status).toBe(422);
  expect((object as unknown as { message: string }).message).toBe(
    'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added ' +
      'if the object is being deleted, found new finalizers []string{"example.com/b"}',
  );
});

test("a status update changes metadata too, but never the spec or the generation", () => {
  const server = aServer();
  const sets = "/apis/apps/v1/namespaces/default/statefulsets";
  ask(server, "POST", sets, statefulSetBody({ name: "s" }));
  const change = {
    metadata: { labels: { seen: "yes" } },
    spec: { replicas: 9 },
    status: { replicas: 1 },
  };
  const { object } = ask(server, "PATCH", `${sets}/s/status`, change);
  expect(object).toMatchObject({
    metadata: { generation: 1, labels: { seen: "yes" } },
    spec: { replicas: 1 },
    status: { replicas: 1 },
  });
});

test("a patch of the object does not change its status", () => {
  const server = aServer();
  ask(server, "POST", JOBS, jobBody({ name: "a" }));
  const { object } = ask(server, "PATCH", `${JOBS}/a`, { status: { active: 3 } });
  expect(object).toMatchObject({ status: {} });
  expect(object).not.toMatchObject({ status: { active: 3 } });
});
