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

test("a scale shows how many are wanted, how many there are, and by what they are found", () => {
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

test("a scale changes the number and nothing else", () => {
  const { server, made } = aSet();
  const scale = { metadata: { name: "s", labels: { a: "b" } }, spec: { replicas: 5 } };
  expect(ask(server, "PUT", SCALE, scale).object).toMatchObject({ spec: { replicas: 5 } });
  const { object } = ask(server, "GET", SET);
  const { spec } = made as unknown as { spec: object };
  expect(object).toMatchObject({ spec: { ...spec, replicas: 5 } });
  expect(object.metadata).not.toHaveProperty("labels");
  expect(object.metadata.generation).toBe(2);
});

test("a scale without a number is a scale to zero", () => {
  const { server } = aSet();
  ask(server, "PUT", SCALE, { metadata: { name: "s" } });
  expect(ask(server, "GET", SET).object).toMatchObject({ spec: { replicas: 0 } });
});

test("the number that is there already is no change", () => {
  const { server, made } = aSet();
  ask(server, "PATCH", SCALE, { spec: { replicas: 2 } });
  expect(ask(server, "GET", SET).object).toEqual(made);
});

test.each([
  ["another name", { metadata: { name: "t" } }, 400],
  ["an old revision", { metadata: { name: "s", resourceVersion: "1" } }, 409],
  ["less than nothing", { metadata: { name: "s" }, spec: { replicas: -1 } }, 422],
])("%s is refused", (_, body, status) => {
  const { server, made } = aSet();
  expect(ask(server, "PUT", SCALE, body).status).toBe(status);
  expect(ask(server, "GET", SET).object).toEqual(made);
});

test("a dry run says the number and leaves the set alone", () => {
  const { server, made } = aSet();
  const dry = ask(server, "PATCH", `${SCALE}?dryRun=All`, { spec: { replicas: 9 } });
  expect(dry.object).toMatchObject({ spec: { replicas: 9 } });
  expect(ask(server, "GET", SET).object).toEqual(made);
});

test.each([
  ["another kind", { kind: "Job" }, 422, 'no kind "Job" is registered for version'],
  ["another namespace", { metadata: { namespace: "other" } }, 400, "does not match the namespace"],
  ["another uid", { metadata: { uid: "x" } }, 409, 'statefulsets/scale.apps "s"'],
  ["a text as number", { spec: { replicas: "x" } }, 422, "into Go struct field ScaleSpec.spec"],
])("a patch to %s is refused", (_, patch, status, message) => {
  const { server, made } = aSet();
  expect(ask(server, "PATCH", SCALE, patch)).toMatchObject({
    status,
    object: { message: expect.stringContaining(message) },
  });
  expect(ask(server, "GET", SET).object).toEqual(made);
});

test("a scale of another uid or namespace is refused", () => {
  const { server, made } = aSet();
  expect(ask(server, "PUT", SCALE, { metadata: { name: "s", uid: "x" } }).status).toBe(409);
  expect(ask(server, "PUT", SCALE, { metadata: { name: "s", namespace: "x" } }).status).toBe(400);
  expect(ask(server, "GET", SET).object).toEqual(made);
});

test("a scale is printed as a table of its own", () => {
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

test("a patch that sets what a scale does not have is warned of", () => {
  const { server } = aSet();
  const { warnings } = ask(server, "PATCH", SCALE, { spec: { nonsense: 1 } });
  expect(warnings).toEqual(['unknown field "spec.nonsense"']);
});
