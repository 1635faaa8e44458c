import { expect, test } from "vitest";
import { configMapBody, podBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask, askWatch } from "../../../test/support/ask.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const UNKNOWN = "the server could not find the requested resource";
const NOT_ALLOWED = "the server does not allow this method on the requested resource";

test.each([
  ["GET", "/api/v1/nonsense", 404, UNKNOWN],
  ["GET", "/api/v2/pods", 404, UNKNOWN],
  ["GET", "/api/v1/namespaces/default/nodes", 404, UNKNOWN],
  ["GET", "/api/v1/pods/p", 404, UNKNOWN],
  ["GET", `${CONFIG_MAPS}/a/status`, 404, UNKNOWN],
  ["POST", `${CONFIG_MAPS}/a`, 405, NOT_ALLOWED],
  ["PUT", CONFIG_MAPS, 405, NOT_ALLOWED],
  ["POST", "/api/v1/configmaps", 405, NOT_ALLOWED],
  ["DELETE", "/api/v1/configmaps", 405, NOT_ALLOWED],
  ["DELETE", "/api/v1/namespaces", 405, NOT_ALLOWED],
  ["GET", "/api/v1/namespaces/default/bindings", 405, NOT_ALLOWED],
  ["POST", "/api/v1/namespaces/default/finalize", 405, NOT_ALLOWED],
  ["GET", "/api/v1/bindings", 404, UNKNOWN],
  ["GET", "/api/v1/namespaces/default/bindings/b", 404, UNKNOWN],
  ["GET", "/apis/authorization.k8s.io/v1/localsubjectaccessreviews", 404, UNKNOWN],
  ["POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/s", 404, UNKNOWN],
  ["GET", "/api/v1/nodes/a%2Fb", 404, UNKNOWN],
  ["GET", "/api/v1//pods", 404, UNKNOWN],
  ["GET", "/apis/batch/v1/namespaces//jobs", 404, UNKNOWN],
  ["GET", "/api/v1/nodes/..", 400, `Name parameter invalid: "..": may not be '..'`],
  ["DELETE", "/api/v1/nodes/%2e", 400, `Name parameter invalid: ".": may not be '.'`],
  ["GET", "/api/v1/nodes/a%25b", 400, `Name parameter invalid: "a%b": may not contain '%'`],
  ["DELETE", "/api/v1/watch/namespaces/default/configmaps/a", 405, NOT_ALLOWED],
  ["POST", "/api/v1/watch/namespaces/default/configmaps", 405, NOT_ALLOWED],
])("%s %s is answered with %d", (method, path, status, message) => {
  expect(ask(aServer(), method, path)).toMatchObject({
    status,
    contentType: "application/json",
    object: { kind: "Status", status: "Failure", code: status, message },
  });
});

test("an unknown API group is answered with 404 page not found", () => {
  expect(ask(aServer(), "GET", "/apis/example.com/v1/things")).toMatchObject({
    status: 404,
    contentType: "text/plain; charset=utf-8",
    text: "404 page not found\n",
  });
});

test("a request for a webhook configuration says that webhooks are not supported", () => {
  const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  expect(ask(aServer(), "POST", path, {}).object).toMatchObject({
    reason: "NotFound",
    message: expect.stringContaining("calls no admission webhooks"),
  });
});

test("a path with a malformed escape is rejected first", () => {
  expect(ask(aServer(), "GET", "/api/v1/nodes/%zz")).toMatchObject({
    status: 400,
    contentType: "text/plain; charset=utf-8",
    text: "400 Bad Request",
  });
});

test("trailing slashes in a path are ignored", () => {
  const { status, object } = ask(aServer(), "GET", `${CONFIG_MAPS}//`);
  expect([status, object.kind]).toEqual([200, "ConfigMapList"]);
});

test("an unexpected error is answered with 500 and logged with details", () => {
  const logged: unknown[] = [];
  const server = aServer();
  const log = { ...server.log, error: (...record: unknown[]) => void logged.push(record) };
  const broken = {
    ...server,
    log,
    store: new Proxy(server.store, {
      get: (store, name) => {
        if (name === "list") throw new TypeError("a bug");
        return Reflect.get(store, name, store);
      },
    }),
  };
  expect(ask(broken, "GET", CONFIG_MAPS)).toMatchObject({
    status: 500,
    object: {
      reason: "InternalError",
      message: "Internal error occurred: the server failed; see its log",
    },
  });
  expect(JSON.stringify(logged)).toContain("a bug");
});

test("an error is sent in the requested format", () => {
  const accept = "application/yaml";
  expect(ask(aServer(), "GET", `${CONFIG_MAPS}/a`, undefined, { accept })).toMatchObject({
    status: 404,
    contentType: "application/yaml",
    text: expect.stringContaining('message: configmaps "a" not found\n'),
  });
});

test("list items have no kind and apiVersion", () => {
  const server = aServer();
  const made = ask(server, "POST", CONFIG_MAPS, configMapBody({ name: "a" }, { k: "v" })).object;
  const { kind: _kind, apiVersion: _version, ...bare } = made;
  for (const accept of ["application/json", undefined]) {
    const headers = accept === undefined ? {} : { accept };
    expect(ask(server, "GET", CONFIG_MAPS, undefined, headers).object).toEqual({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: made.metadata.resourceVersion },
      items: [bare],
    });
  }
  const yaml = ask(server, "GET", CONFIG_MAPS, undefined, { accept: "application/yaml" });
  expect(yaml.text.match(/kind:/g)).toHaveLength(1);
});

test.each([
  ["application/json;as=Table;v=v1;g=meta.k8s.io", "Table"],
  ["application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "PartialObjectMetadataList"],
  ["application/json;as=Nonsense;v=v1;g=meta.k8s.io,application/json", "ConfigMapList"],
  ["text/html,*/*;q=0.8", "ConfigMapList"],
])("a list requested as %s is a %s", (accept, kind) => {
  const { status, object } = ask(aServer(), "GET", CONFIG_MAPS, undefined, { accept });
  expect([status, object.kind]).toEqual([200, kind]);
});

test.each([
  ["text/html", "GET", undefined, 406],
  [undefined, "POST", "text/plain", 415],
  [undefined, "PATCH", "application/json", 415],
])("Accept %s with a %s of type %s is rejected", (accept, method, contentType, status) => {
  const headers = {
    ...(accept === undefined ? {} : { accept }),
    ...(contentType === undefined ? {} : { contentType }),
  };
  const path = method === "PATCH" ? `${CONFIG_MAPS}/a` : CONFIG_MAPS;
  expect(ask(aServer(), method, path, "{}", headers).status).toBe(status);
});

test("a body of another kind is rejected, and one without a kind is accepted", () => {
  const server = aServer();
  const other = ask(server, "POST", CONFIG_MAPS, podBody({ name: "a" }));
  expect([other.status, other.object]).toMatchObject([400, { reason: "BadRequest" }]);
  expect(ask(server, "POST", CONFIG_MAPS, { metadata: { name: "a" } }).status).toBe(201);
});

test("a list waits for the newest revision, an object only for its own", () => {
  const server = aServer();
  const first = ask(server, "POST", CONFIG_MAPS, configMapBody({ name: "a" })).object;
  ask(server, "POST", CONFIG_MAPS, configMapBody({ name: "b" }));
  expect(ask(server, "GET", `${CONFIG_MAPS}/a`).revision).toBe(
    Number(first.metadata.resourceVersion),
  );
  expect(ask(server, "GET", CONFIG_MAPS).revision).toBe(server.store.revision);
  expect(ask(server, "GET", "/version").revision).toBe(0);
});

test("a 404 waits for the newest revision, which includes the deletion", () => {
  const server = aServer();
  ask(server, "POST", CONFIG_MAPS, configMapBody({ name: "a" }));
  ask(server, "DELETE", `${CONFIG_MAPS}/a`);
  // An answer without a revision waits for the newest one.
  expect(ask(server, "GET", `${CONFIG_MAPS}/a`)).toMatchObject({ status: 404 });
  expect(ask(server, "GET", `${CONFIG_MAPS}/a`).revision).toBeUndefined();
});

test.each([
  `${CONFIG_MAPS}?watch=true`,
  `${CONFIG_MAPS}?watch=1`,
  "/api/v1/watch/configmaps",
  "/api/v1/watch/namespaces/default/configmaps",
  "/api/v1/watch/namespaces/default/configmaps/a",
])("%s is a watch", (url) => {
  const server = aServer();
  for (const name of ["a", "b"]) ask(server, "POST", CONFIG_MAPS, configMapBody({ name }));
  const { watching, kind } = askWatch(server, url);
  expect(kind.kind).toBe("ConfigMap");
  expect(watching.initial).toHaveLength(url.endsWith("/a") ? 1 : 2);
});
