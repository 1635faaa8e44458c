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

test("what holds a namespace is changed by finalize, and by nothing else", () => {
  const { server } = aNamespace();
  const updated = ask(server, "PUT", SPACE, holding("example.com/a"));
  expect(updated.object).toMatchObject({ spec: { finalizers: ["kubernetes"] } });
  const finalized = ask(server, "PUT", FINALIZE, holding("example.com/a"));
  expect(finalized.object).toMatchObject({ spec: { finalizers: ["example.com/a"] } });
});

test("a namespace goes with the last of what holds it, once it was deleted", () => {
  const { server } = aNamespace();
  ask(server, "PUT", FINALIZE, holding());
  expect(ask(server, "GET", SPACE).status).toBe(200);
  ask(server, "PUT", FINALIZE, holding("kubernetes"));
  ask(server, "DELETE", SPACE);
  expect(ask(server, "GET", SPACE).object).toMatchObject({ status: { phase: "Terminating" } });
  ask(server, "PUT", FINALIZE, holding());
  expect(ask(server, "GET", SPACE).status).toBe(404);
});

test("finalizers in its metadata hold a namespace too", () => {
  const { server } = aNamespace({ finalizers: ["example.com/a"] });
  ask(server, "DELETE", SPACE);
  // As an update of the whole, finalize would take them along.
  const { object } = ask(server, "GET", SPACE);
  ask(server, "PUT", FINALIZE, { ...object, spec: {} });
  expect(ask(server, "GET", SPACE).status).toBe(200);
  ask(server, "PATCH", SPACE, { metadata: { finalizers: null } });
  expect(ask(server, "GET", SPACE).status).toBe(404);
});

test("finalize changes metadata too, and never the status", () => {
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
  ["an old revision", { metadata: { name: "x", resourceVersion: "1" } }, 409],
  ["another namespace of the name", { metadata: { name: "x", uid: "other" } }, 409],
  ["another name", { metadata: { name: "y" } }, 400],
  ["a finalizer that is no name", holding("no/t/one"), 422],
])("%s is refused", (_, body, status) => {
  const { server } = aNamespace();
  expect(ask(server, "PUT", FINALIZE, body).status).toBe(status);
});

test("a dry run leaves a namespace that would have gone", () => {
  const { server } = aNamespace();
  ask(server, "DELETE", SPACE);
  expect(ask(server, "PUT", `${FINALIZE}?dryRun=All`, holding()).status).toBe(200);
  expect(ask(server, "GET", SPACE).status).toBe(200);
});
