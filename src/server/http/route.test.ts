import { expect, test } from "vitest";
import { parseRoute } from "./route.ts";

test.each([
  ["/api/v1/pods", { group: "", version: "v1", resource: "pods" }],
  [
    "/api/v1/namespaces/ns/pods/p/log",
    { group: "", version: "v1", resource: "pods", namespace: "ns", name: "p", subresource: "log" },
  ],
  ["/api/v1/namespaces/ns", { group: "", version: "v1", resource: "namespaces", name: "ns" }],
  [
    "/api/v1/namespaces/ns/finalize",
    { group: "", version: "v1", resource: "namespaces", name: "ns", subresource: "finalize" },
  ],
  [
    "/apis/batch/v1/namespaces/ns/jobs",
    { group: "batch", version: "v1", resource: "jobs", namespace: "ns" },
  ],
  [
    "/apis/batch/v1/watch/namespaces/ns/jobs/j",
    { group: "batch", version: "v1", resource: "jobs", namespace: "ns", name: "j", watch: true },
  ],
  [
    "/api/v1/nodes/a%2Fb",
    { group: "", version: "v1", resource: "nodes", name: "a", subresource: "b" },
  ],
  ["/api/v1/nodes//", { group: "", version: "v1", resource: "nodes" }],
])("%s is a resource path", (path, resource) => {
  expect(parseRoute(path)).toEqual({ kind: "resource", resource: { watch: false, ...resource } });
});

test.each(["/", "/api", "/api/v1", "/apis", "/apis/batch", "/apis/batch/v1", "/healthz"])(
  "%s is not a resource path",
  (path) => {
    expect(parseRoute(path)).toEqual({ kind: "other", path });
  },
);

test.each(["/apis//batch/v1", "/api/v1//pods", "/apis/batch/v1/namespaces//jobs"])(
  "a path with an empty segment, such as %s, is not a resource path",
  (path) => {
    expect(parseRoute(path)?.kind).toBe("other");
  },
);

test("a malformed escape is rejected", () => {
  expect(parseRoute("/api/v1/pods/%zz")).toBeUndefined();
});
