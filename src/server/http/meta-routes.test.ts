import { expect, test } from "vitest";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import { decodeMessage, decodeProtobuf } from "../../api/schema/protobuf.ts";

test.each([
  ["/healthz", "ok"],
  ["/livez/ping", "ok"],
  ["/readyz/shutdown", "ok"],
  [
    "/readyz?verbose",
    "[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n" +
      "[+]shutdown ok\nreadyz check passed\n",
  ],
  [
    "/livez?verbose&exclude=etcd",
    "[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\nlivez check passed\n",
  ],
])("%s returns %j", (path, text) => {
  expect(ask(aServer(), "GET", path)).toMatchObject({ status: 200, text });
});

test.each(["/healthz/", "/healthz/nope", "/nope", "/apis/example.com"])(
  "%s is answered with 404 page not found",
  (path) => {
    expect(ask(aServer(), "GET", path)).toMatchObject({
      status: 404,
      text: "404 page not found\n",
    });
  },
);

test.each(["/apis", "/apis/batch", "/openapi/v2", "/openapi/v3"])(
  "%s accepts any method",
  (path) => {
    expect(ask(aServer(), "OPTIONS", path).status).toBe(200);
  },
);

test.each(["/api", "/api/v1", "/apis/batch/v1", "/version"])("%s accepts only GET", (path) => {
  expect(ask(aServer(), "GET", path).status).toBe(200);
  expect(ask(aServer(), "POST", path).status).toBe(405);
});

test.each([
  ["/api/v1", "text/html", "406: Not Acceptable"],
  ["/version", "application/yaml", "406: Not Acceptable"],
  ["/apis/batch", "text/html", "only the following media types are accepted"],
  [
    "/apis/batch/v1",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "only the following media types are accepted",
  ],
])("%s cannot be read as %s", (path, accept, message) => {
  const told = ask(aServer(), "GET", path, undefined, { accept });
  expect([told.status, told.text]).toEqual([406, expect.stringContaining(message)]);
});

test("discovery is available in protobuf", () => {
  const accept = "application/vnd.kubernetes.protobuf";
  const told = ask(aServer(), "GET", "/apis/batch/v1", undefined, { accept });
  expect(told.contentType).toBe(accept);
  const { kind, message } = decodeProtobuf(told.bytes);
  expect(kind).toBe("APIResourceList");
  expect(decodeMessage("meta/v1.APIResourceList", message)).toMatchObject({
    groupVersion: "batch/v1",
  });
});

test("the root lists the paths a client may start from", () => {
  const { paths } = ask(aServer(), "GET", "/").object as unknown as { paths: string[] };
  expect(paths).toEqual(expect.arrayContaining(["/api/v1", "/apis/batch/v1", "/version"]));
  expect(paths).toEqual([...new Set(paths)].sort());
});

test("aggregated discovery is available as YAML", () => {
  const type = "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const { contentType, text } = ask(aServer(), "GET", "/apis", undefined, { accept: type });
  expect(contentType).toBe(type);
  expect(text).toMatch(/^apiVersion: apidiscovery.k8s.io\/v2\n/);
});
