import { expect, test } from "vitest";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const SPACE = "/api/v1/namespaces/x";
const FINALIZE = `${SPACE}/finalize`;

function aNamespace(metadata: object = {}) {
  const server = aServer();
  const body = { metadata: { name: "x", ...metadata } };
  const { object } = ask(server, "POST", "/api/v1/namespaces", body);
  return { server, made: object };
}

const holding = (...finalizers: string[]) => ({ metadata: { name: "x" }, spec: { finalizers } });

test("namespace finalizers change only through the finalize subresource", () => {
  const { server } = aNamespace();
  const updated = ask(server, "PUT", SPACE, holding("example.com/a"));
  expect(updated.object).toMatchObject({ spec: { finalizers: ["kubernetes"] } });
  const finalized = ask(server, "PUT", FINALIZE, holding("example.com/a"));
  expect(finalized.object).toMatchObject({ spec: { finalizers: ["example.com/a"] } });
});

test("a deleted namespace is removed with its last finalizer", () => {
  const { server } = aNamespace();
  ask(server, "PUT", FINALIZE, holding());
  expect(ask(server, "GET", SPACE).status).toBe(200);
  ask(server, "PUT", FINALIZE, holding("kubernetes"));
  ask(server, "DELETE", SPACE);
  expect(ask(server, "GET", SPACE).object).toMatchObject({ status: { phase: "Terminating" } });
  ask(server, "PUT", FINALIZE, holding());
  expect(ask(server, "GET", SPACE).status).toBe(404);
});

test("finalizers in metadata hold a namespace too", () => {
  const { server } = aNamespace({ finalizers: ["example.com/a"] });
  ask(server, "DELETE", SPACE);
  // finalize updates the whole object, including these finalizers.
  const { object } = ask(server, "GET", SPACE);
  ask(server, "PUT", FINALIZE, { ...object, spec: {} });
  expect(ask(server, "GET", SPACE).status).toBe(200);
  ask(server, "PATCH", SPACE, { metadata: { finalizers: null } });
  expect(ask(server, "GET", SPACE).status).toBe(404);
});

test("finalize changes metadata too, but never the status", () => {
  const { server, made } = aNamespace();
  const next = {
    metadata: { name: "x", labels: { a: "b" } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Terminating" },
  };
  const { object } = ask(server, "PUT", FINALIZE, next);
  expect(object).toMatchObject({
    metadata: { uid: made.metadata.uid, labels: { a: "b", "kubernetes.io/metadata.name": "x" } },
    status: { phase: "Active" },
  });
});

test.each([
  ["an outdated revision", { metadata: { name: "x", resourceVersion: "1" } }, 409],
  ["another uid", { metadata: { name: "x", uid: "other" } }, 409],
  ["another name", { metadata: { name: "y" } }, 400],
  ["an invalid finalizer name", holding("no/t/one"), 422],
])("finalize with %s is rejected", (_, body, status) => {
  const { server } = aNamespace();
  expect(ask(server, "PUT", FINALIZE, body).status).toBe(status);
});

test("a dry run of the last finalizer's removal keeps the namespace", () => {
  const { server } = aNamespace();
  ask(server, "DELETE", SPACE);
  expect(ask(server, "PUT", `${FINALIZE}?dryRun=All`, holding()).status).toBe(200);
  expect(ask(server, "GET", SPACE).status).toBe(200);
});
