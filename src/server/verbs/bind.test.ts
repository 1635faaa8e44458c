import { expect, test } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const PODS = "/api/v1/namespaces/default/pods";
const BINDING = `${PODS}/p/binding`;

function aPod(spec: object = {}, metadata: object = {}) {
  const server = aServer();
  const { object } = ask(server, "POST", PODS, podBody({ name: "p", ...metadata }, { ...spec }));
  return { server, made: object };
}

const to = (node: string, metadata: object = {}) => ({
  metadata: { name: "p", ...metadata },
  target: { kind: "Node", name: node },
});

test("a bound pod has a node and the condition PodScheduled", () => {
  const { server } = aPod();
  expect(ask(server, "POST", BINDING, to("n")).status).toBe(201);
  expect(ask(server, "GET", `${PODS}/p`).object).toMatchObject({
    spec: { nodeName: "n" },
    status: {
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    },
  });
});

test("binding replaces an earlier PodScheduled=False in place", () => {
  const { server } = aPod();
  const conditions = [
    { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no room" },
    { type: "Example", status: "True" },
  ];
  ask(server, "PATCH", `${PODS}/p/status`, { status: { conditions } });
  server.clock.advance(60_000);
  ask(server, "POST", BINDING, to("n"));
  const { object } = ask(server, "GET", `${PODS}/p`);
  expect((object as unknown as { status: { conditions: unknown[] } }).status.conditions).toEqual([
    {
      type: "PodScheduled",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: "2026-01-01T00:01:00Z",
    },
    { type: "Example", status: "True", lastProbeTime: null, lastTransitionTime: null },
  ]);
});

test("binding clears the nominated node", () => {
  const { server } = aPod();
  ask(server, "PATCH", `${PODS}/p/status`, { status: { nominatedNodeName: "hoped" } });
  expect(ask(server, "GET", `${PODS}/p`).text).toContain('"nominatedNodeName":"hoped"');
  ask(server, "POST", BINDING, to("n"));
  expect(ask(server, "GET", `${PODS}/p`).text).not.toContain('"nominatedNodeName"');
});

test("annotations and labels of a binding are copied to the pod", () => {
  const { server } = aPod({}, { labels: { a: "1", b: "1" } });
  ask(server, "POST", BINDING, to("n", { labels: { b: "2" }, annotations: { c: "3" } }));
  expect(ask(server, "GET", `${PODS}/p`).object.metadata).toMatchObject({
    labels: { a: "1", b: "2" },
    annotations: { c: "3" },
  });
});

test.each([
  [
    "a pod that already has a node",
    { nodeName: "first" },
    to("n"),
    409,
    'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "first"',
  ],
  [
    "a pod with a scheduling gate",
    { schedulingGates: [{ name: "example.com/gate" }] },
    to("n"),
    409,
    'Operation cannot be fulfilled on pods/binding "p": pod p has non-empty .spec.schedulingGates',
  ],
  [
    "a pod with another name",
    {},
    to("n", { name: "q" }),
    400,
    "name in URL does not match name in Binding object",
  ],
  [
    "an outdated revision of the pod",
    {},
    to("n", { resourceVersion: "1" }),
    409,
    'Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, ' +
      "Key: /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: " +
      "Precondition failed: ResourceVersion in precondition: 1, " +
      "ResourceVersion in object meta: 7",
  ],
  [
    "a pod to a target other than a node",
    {},
    { metadata: { name: "p" }, target: { kind: "Pod" } },
    500,
    '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", ' +
      "target.name: Required value]",
  ],
])("binding %s is rejected", (_, spec, body, status, message) => {
  const { server } = aPod(spec);
  const before = server.store.revision;
  expect(ask(server, "POST", BINDING, body)).toMatchObject({ status, object: { message } });
  expect(server.store.revision).toBe(before);
});

test("a pod that is being deleted cannot be bound", () => {
  const { server } = aPod({}, { finalizers: ["example.com/a"] });
  ask(server, "DELETE", `${PODS}/p`);
  expect(ask(server, "POST", BINDING, to("n"))).toMatchObject({
    status: 409,
    object: { message: expect.stringContaining("pod p is being deleted, cannot be assigned") },
  });
});

test("a dry run binds nothing", () => {
  const { server, made } = aPod();
  expect(ask(server, "POST", `${BINDING}?dryRun=All`, to("n")).status).toBe(201);
  expect(ask(server, "GET", `${PODS}/p`).object).toEqual(made);
});

test("POST to bindings uses the name in the binding and ignores its uid", () => {
  const { server } = aPod();
  const bindings = "/api/v1/namespaces/default/bindings";
  expect(ask(server, "POST", bindings, to("n", { uid: "any" })).status).toBe(201);
  expect(ask(server, "GET", `${PODS}/p`).object).toMatchObject({ spec: { nodeName: "n" } });
});
