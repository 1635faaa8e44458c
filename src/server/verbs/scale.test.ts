import { expect, test } from "vitest";
import { statefulSetBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const SET = "/apis/apps/v1/namespaces/default/statefulsets/s";
const SCALE = `${SET}/scale`;

function aSet() {
  const server = aServer();
  const sets = SET.slice(0, SET.lastIndexOf("/"));
  const { object } = ask(server, "POST", sets, statefulSetBody({ name: "s" }, { replicas: 2 }));
  return { server, made: object };
}

test("a scale shows desired and actual replicas and the selector", () => {
  const { server, made } = aSet();
  ask(server, "PATCH", `${SET}/status`, { status: { replicas: 1 } });
  expect(ask(server, "GET", SCALE).object).toMatchObject({
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name: "s", namespace: "default", uid: made.metadata.uid },
    spec: { replicas: 2 },
    status: { replicas: 1, selector: "app=s" },
  });
});

test("a scale changes only the replicas", () => {
  const { server, made } = aSet();
  const scale = { metadata: { name: "s", labels: { a: "b" } }, spec: { replicas: 5 } };
  expect(ask(server, "PUT", SCALE, scale).object).toMatchObject({ spec: { replicas: 5 } });
  const { object } = ask(server, "GET", SET);
  const { spec } = made as unknown as { spec: object };
  expect(object).toMatchObject({ spec: { ...spec, replicas: 5 } });
  expect(object.metadata).not.toHaveProperty("labels");
  expect(object.metadata.generation).toBe(2);
});

test("a scale without replicas scales to zero", () => {
  const { server } = aSet();
  ask(server, "PUT", SCALE, { metadata: { name: "s" } });
  expect(ask(server, "GET", SET).object).toMatchObject({ spec: { replicas: 0 } });
});

test("the same number of replicas changes nothing", () => {
  const { server, made } = aSet();
  ask(server, "PATCH", SCALE, { spec: { replicas: 2 } });
  expect(ask(server, "GET", SET).object).toEqual(made);
});

test.each([
  ["another name", { metadata: { name: "t" } }, 400],
  ["an outdated revision", { metadata: { name: "s", resourceVersion: "1" } }, 409],
  ["a negative number", { metadata: { name: "s" }, spec: { replicas: -1 } }, 422],
])("a scale with %s is rejected", (_, body, status) => {
  const { server, made } = aSet();
  expect(ask(server, "PUT", SCALE, body).status).toBe(status);
  expect(ask(server, "GET", SET).object).toEqual(made);
});

test("a dry run returns the new number and does not change the set", () => {
  const { server, made } = aSet();
  const dry = ask(server, "PATCH", `${SCALE}?dryRun=All`, { spec: { replicas: 9 } });
  expect(dry.object).toMatchObject({ spec: { replicas: 9 } });
  expect(ask(server, "GET", SET).object).toEqual(made);
});

test.each([
  ["another kind", { kind: "Job" }, 422, 'no kind "Job" is registered for version'],
  ["another namespace", { metadata: { namespace: "other" } }, 400, "does not match the namespace"],
  ["another uid", { metadata: { uid: "x" } }, 409, 'statefulsets/scale.apps "s"'],
  ["a string as number", { spec: { replicas: "x" } }, 422, "into Go struct field ScaleSpec.spec"],
])("a patch to %s is rejected", (_, patch, status, message) => {
  const { server, made } = aSet();
  expect(ask(server, "PATCH", SCALE, patch)).toMatchObject({
    status,
    object: { message: expect.stringContaining(message) },
  });
  expect(ask(server, "GET", SET).object).toEqual(made);
});

test("a scale with another uid or namespace is rejected", () => {
  const { server, made } = aSet();
  expect(ask(server, "PUT", SCALE, { metadata: { name: "s", uid: "x" } }).status).toBe(409);
  expect(ask(server, "PUT", SCALE, { metadata: { name: "s", namespace: "x" } }).status).toBe(400);
  expect(ask(server, "GET", SET).object).toEqual(made);
});

test("a scale has its own table columns", () => {
  const { server } = aSet();
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  expect(ask(server, "GET", SCALE, undefined, { accept }).object).toMatchObject({
    columnDefinitions: [
      { name: "Name" },
      { name: "Desired" },
      { name: "Available" },
      { name: "Age" },
    ],
    rows: [{ cells: ["s", 2, 0, expect.any(String)] }],
  });
});

test("a patch with an unknown field of a scale causes a warning", () => {
  const { server } = aSet();
  const { warnings } = ask(server, "PATCH", SCALE, { spec: { nonsense: 1 } });
  expect(warnings).toEqual(['unknown field "spec.nonsense"']);
});
