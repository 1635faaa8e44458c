/** The life of CustomResourceDefinitions, and of the objects of their kinds. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  aDefinition,
  aServerWith,
  aWidget,
  DEFINITIONS,
  define,
  MERGE,
  WIDGETS,
} from "../../../test/builders/custom-resources.ts";
import { aServer, serverOn } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const DEFINITION = `${DEFINITIONS}/widgets.example.com`;
const [VERSION] = aDefinition().spec.versions;

test("a definition is served from the moment its status says so", async () => {
  const server = aServer();
  expect(ask(server, "GET", WIDGETS).status).toBe(404);
  await define(server, aDefinition({ names: { shortNames: ["wd"], categories: ["all"] } }));
  expect(ask(server, "GET", DEFINITION).object).toMatchObject({
    status: {
      conditions: [
        { type: "NamesAccepted", status: "True", reason: "NoConflicts" },
        { type: "Established", status: "True", reason: "InitialNamesAccepted" },
      ],
      acceptedNames: { plural: "widgets", singular: "widget", listKind: "WidgetList" },
      storedVersions: ["v1"],
    },
  });
  expect(ask(server, "GET", "/apis/example.com/v1").object).toMatchObject({
    resources: [{ name: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] }],
  });
  expect(ask(server, "GET", WIDGETS).object).toMatchObject({ kind: "WidgetList", items: [] });
});

test("a name in use is not accepted until it is free", async () => {
  const server = await aServerWith();
  const other = {
    ...aDefinition({ names: { plural: "gadgets", kind: "Widget", singular: "gadget" } }),
    metadata: { name: "gadgets.example.com" },
  };
  await define(server, other);
  const url = `${DEFINITIONS}/gadgets.example.com`;
  expect(ask(server, "GET", url).object).toMatchObject({
    status: {
      conditions: [
        { type: "NamesAccepted", status: "False", message: '"WidgetList" is already in use' },
        { type: "Established", status: "False", reason: "NotAccepted" },
      ],
    },
  });
  expect(ask(server, "GET", "/apis/example.com/v1/gadgets").status).toBe(404);
  ask(server, "DELETE", DEFINITION);
  await new Promise(setImmediate);
  expect(ask(server, "GET", "/apis/example.com/v1/gadgets").status).toBe(200);
});

describe("several versions", () => {
  const older = { ...VERSION, name: "v1beta1", storage: false, deprecated: true };
  const definition = { definition: { versions: [older, VERSION] } };
  const OLD = WIDGETS.replace("/v1/", "/v1beta1/");

  test("show the same object, each with its own apiVersion", async () => {
    const server = await aServerWith(definition);
    ask(server, "POST", OLD, { ...aWidget(), apiVersion: "example.com/v1beta1" });
    expect(ask(server, "GET", `${WIDGETS}/w`).object.apiVersion).toBe("example.com/v1");
    const told = ask(server, "GET", OLD);
    expect(told.object).toMatchObject({ items: [{ apiVersion: "example.com/v1beta1" }] });
    expect(told.warnings).toEqual(["example.com/v1beta1 Widget is deprecated"]);
    const patched = ask(server, "PATCH", `${OLD}/w`, { spec: { replicas: 3 } }, MERGE);
    expect(patched.object).toMatchObject({ apiVersion: "example.com/v1beta1" });
    expect(ask(server, "GET", "/apis/example.com").object).toMatchObject({
      preferredVersion: { version: "v1" },
      versions: [{ version: "v1" }, { version: "v1beta1" }],
    });
  });

  test("a version that is no longer served is answered with 404", async () => {
    const server = await aServerWith(definition);
    const versions = [{ ...older, served: false }, VERSION];
    ask(server, "PATCH", DEFINITION, { spec: { versions } }, MERGE);
    expect(ask(server, "GET", OLD).status).toBe(404);
  });
});

describe("deleting a definition", () => {
  test("deletes the objects of its kind", async () => {
    const server = await aServerWith();
    ask(server, "POST", WIDGETS, aWidget());
    const told = ask(server, "DELETE", DEFINITION);
    expect(told.object).toMatchObject({
      metadata: { finalizers: ["customresourcecleanup.apiextensions.k8s.io"] },
    });
    await Promise.resolve();
    expect(ask(server, "GET", DEFINITION).status).toBe(404);
    expect(server.store.count("widgets.example.com")).toBe(0);
  });

  test("waits for objects with finalizers and allows no new ones", async () => {
    const server = await aServerWith();
    const metadata = { name: "w", finalizers: ["example.com/hold"] };
    ask(server, "POST", WIDGETS, { ...aWidget(), metadata });
    ask(server, "DELETE", DEFINITION);
    await Promise.resolve();
    expect(ask(server, "GET", DEFINITION).object).toMatchObject({
      status: { conditions: [{}, {}, { reason: "InstanceDeletionInProgress" }] },
    });
    const refused = ask(server, "POST", WIDGETS, { ...aWidget(), metadata: { name: "v" } });
    expect(refused.object).toMatchObject({
      code: 405,
      message: "create not allowed while custom resource definition is terminating",
    });
    ask(server, "PATCH", `${WIDGETS}/w`, { metadata: { finalizers: null } }, MERGE);
    await Promise.resolve();
    expect(ask(server, "GET", DEFINITION).status).toBe(404);
  });
});

test("after a restart, earlier definitions are served", async () => {
  const server = await aServerWith();
  ask(server, "POST", WIDGETS, aWidget({ replicas: 4 }));
  const again = serverOn(server.store, server.clock);
  expect(ask(again, "GET", `${WIDGETS}/w`).object).toMatchObject({ spec: { replicas: 4 } });
});

test("Tally's own kinds stay built in even if their definitions are installed", async () => {
  const server = aServer();
  const folder = new URL("../../../deploy/crds/", import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.startsWith("tallyjob.io_"))) {
    const told = await define(server, parse(readFileSync(new URL(file, folder), "utf8")));
    expect(told.warnings).toEqual([expect.stringMatching(/ is built into this server/)]);
  }
  const name = "workflows.tallyjob.io";
  expect(ask(server, "GET", `${DEFINITIONS}/${name}`).object).toMatchObject({
    status: { conditions: [{}, { type: "Established", status: "True" }] },
  });
  const url = "/apis/tallyjob.io/v1alpha1/namespaces/default/jobtemplates";
  const template = {
    spec: {
      template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } },
    },
  };
  const made = ask(server, "POST", url, {
    metadata: { name: "t" },
    spec: { template },
  });
  expect(made.status, made.text).toBe(201);
  ask(server, "DELETE", `${DEFINITIONS}/jobtemplates.tallyjob.io`);
  await Promise.resolve();
  expect(ask(server, "GET", `${DEFINITIONS}/jobtemplates.tallyjob.io`).status).toBe(404);
  expect(ask(server, "GET", `${url}/t`).status).toBe(200);
});

test("a definition can be read and written as protobuf, including its schema", async () => {
  const server = await aServerWith();
  const accept = "application/vnd.kubernetes.protobuf";
  const told = ask(server, "GET", DEFINITION, undefined, { accept });
  expect(told.contentType).toBe(accept);
  const again = ask(server, "PUT", DEFINITION, told.bytes, { contentType: accept });
  expect(again.status, again.text).toBe(200);
  expect(again.object).toEqual(ask(server, "GET", DEFINITION).object);
});

test("OpenAPI and discovery include custom kinds", async () => {
  const server = await aServerWith({ version: { subresources: { status: {} } } });
  const path = "/openapi/v3/apis/example.com/v1";
  expect(ask(server, "GET", "/openapi/v3").text).toContain("apis/example.com/v1");
  expect(ask(server, "GET", path).object).toMatchObject({
    paths: { "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status": {} },
    components: {
      schemas: {
        "com.example.v1.Widget": {
          properties: { spec: { properties: { replicas: { type: "integer", default: 1 } } } },
          "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget" }],
        },
      },
    },
  });
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const { items } = ask(server, "GET", "/apis", undefined, { accept }).object as unknown as {
    items: { metadata: { name: string }; versions: object[] }[];
  };
  const found = items.find(({ metadata }) => metadata.name === "example.com");
  const responseKind = { group: "example.com", version: "v1", kind: "Widget" };
  expect(found?.versions).toMatchObject([
    {
      version: "v1",
      resources: [{ responseKind, subresources: [{ subresource: "status", responseKind }] }],
    },
  ]);
  ask(server, "DELETE", DEFINITION);
  await Promise.resolve();
  expect(ask(server, "GET", path).status).toBe(404);
});
