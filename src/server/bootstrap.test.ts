import { expect, test } from "vitest";
import { aServer } from "../../test/builders/server.ts";
import { ask } from "../../test/support/ask.ts";
import { bootstrap } from "./bootstrap.ts";

const SERVICE = "/api/v1/namespaces/default/services/kubernetes";

test("a start that finds all objects writes nothing", () => {
  const server = aServer();
  const before = server.store.revision;
  bootstrap(server, { address: "127.0.0.1", port: 6443 });
  expect(server.store.revision).toBe(before);
});

test("the Service follows the server to another port and keeps users' changes", () => {
  const server = aServer();
  ask(server, "PATCH", SERVICE, { metadata: { labels: { mine: "yes" } } });
  bootstrap(server, { address: "127.0.0.1", port: 7000 });
  expect(ask(server, "GET", SERVICE).object).toMatchObject({
    metadata: { labels: { mine: "yes", component: "apiserver" } },
    spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: 7000 }] },
  });
});

test("a deleted namespace is created again, and one that a user changed stays unchanged", () => {
  const server = aServer();
  const lease = "/api/v1/namespaces/kube-node-lease";
  ask(server, "DELETE", lease);
  ask(server, "PUT", `${lease}/finalize`, { metadata: { name: "kube-node-lease" } });
  expect(ask(server, "GET", lease).status).toBe(404);
  const patched = ask(server, "PATCH", "/api/v1/namespaces/default", {
    metadata: { labels: { mine: "yes" } },
  });
  bootstrap(server, { address: "127.0.0.1", port: 6443 });
  expect(ask(server, "GET", lease).object).toMatchObject({ status: { phase: "Active" } });
  expect(ask(server, "GET", "/api/v1/namespaces/default").object).toEqual(patched.object);
});
