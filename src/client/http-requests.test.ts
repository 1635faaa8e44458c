import fc from "fast-check";
import { expect, test } from "vitest";
import { configMapBody, jobBody } from "../../test/builders/resources.ts";
import { refusalCode } from "../../test/contracts/refusal.ts";
import { configMaps, jobs, namespaces } from "../api/resources.ts";
import {
  bindRequest,
  createRequest,
  deleteRequest,
  getRequest,
  listRequest,
  patchRequest,
  updateRequest,
  watchRequest,
} from "./http-requests.ts";

const NAMED = { namespace: "ns", name: "a" };
const BATCH = "/apis/batch/v1";

test.each([
  [getRequest(configMaps, NAMED), "GET", "/api/v1/namespaces/ns/configmaps/a"],
  [getRequest(jobs, NAMED), "GET", `${BATCH}/namespaces/ns/jobs/a`],
  [getRequest(namespaces, { name: "ns" }), "GET", "/api/v1/namespaces/ns"],
  [listRequest(jobs, {}), "GET", `${BATCH}/jobs`],
  [listRequest(jobs, { namespace: "" }), "GET", `${BATCH}/jobs`],
  [
    listRequest(jobs, { namespace: "ns", labelSelector: "a=b,c in (d)", limit: 5, continue: "x+" }),
    "GET",
    `${BATCH}/namespaces/ns/jobs?labelSelector=a%3Db%2Cc%20in%20(d)&limit=5&continue=x%2B`,
  ],
  [
    watchRequest(jobs, { resourceVersion: "7", fieldSelector: "metadata.name=a" }),
    "GET",
    `${BATCH}/jobs?watch=true&resourceVersion=7&fieldSelector=metadata.name%3Da&allowWatchBookmarks=true`,
  ],
  [createRequest(jobs, jobBody(NAMED)), "POST", `${BATCH}/namespaces/ns/jobs`],
  [updateRequest(jobs, jobBody(NAMED)), "PUT", `${BATCH}/namespaces/ns/jobs/a`],
  [updateRequest(jobs, jobBody(NAMED), "status"), "PUT", `${BATCH}/namespaces/ns/jobs/a/status`],
  [deleteRequest(jobs, NAMED, {}), "DELETE", `${BATCH}/namespaces/ns/jobs/a`],
  [bindRequest(NAMED, "n"), "POST", "/api/v1/namespaces/ns/pods/a/binding"],
])("%j", (request, method, path) => {
  expect([request.method, request.path]).toEqual([method, path]);
});

test("a patch request has the right content type and path", () => {
  const types = (["json", "merge", "strategic"] as const).map(
    (type) => patchRequest(jobs, NAMED, { type, body: {} }).body?.contentType,
  );
  expect(types).toEqual([
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
  ]);
  const status = patchRequest(jobs, NAMED, { type: "merge", body: {}, subresource: "status" });
  expect(status.path).toBe(`${BATCH}/namespaces/ns/jobs/a/status`);
});

test("a delete request contains its options", () => {
  const request = deleteRequest(jobs, NAMED, {
    gracePeriodSeconds: 0,
    propagationPolicy: "Foreground",
    preconditions: { uid: "u" },
  });
  expect(JSON.parse(request.body?.text ?? "")).toEqual({
    kind: "DeleteOptions",
    apiVersion: "v1",
    gracePeriodSeconds: 0,
    propagationPolicy: "Foreground",
    preconditions: { uid: "u" },
  });
});

test("a request for an object without a name is rejected", async () => {
  const nameless = { namespace: "ns", name: "" };
  const attempts = [
    () => getRequest(jobs, nameless),
    () => updateRequest(configMaps, configMapBody({})),
    () => patchRequest(jobs, nameless, { type: "merge", body: {} }),
    () => deleteRequest(jobs, nameless, {}),
  ];
  for (const attempt of attempts) {
    expect(await refusalCode(Promise.resolve().then(attempt))).toBe("400 BadRequest");
  }
});

test.each([".", "..", "a/status", "a%2fstatus"])("the name %s is rejected", (name) => {
  expect(() => getRequest(jobs, { namespace: "ns", name })).toThrow("invalid resource name");
  expect(() => getRequest(jobs, { namespace: name, name: "a" })).toThrow("invalid resource name");
});

test("no name and no selector changes the structure of a path", () => {
  const hostile = fc.string({ unit: fc.constantFrom("/", "?", "#", "%", "&", "=", " ", "a", "ä") });
  fc.assert(
    fc.property(hostile, hostile, (name, labelSelector) => {
      fc.pre(/^[^/%]+$/.test(name));
      const { path } = getRequest(jobs, { namespace: "ns", name });
      const segments = path.split("/");
      expect(segments).toHaveLength(8);
      expect(decodeURIComponent(segments[7] ?? "")).toBe(name);
      const listed = listRequest(jobs, { labelSelector }).path.split("?")[1] ?? "";
      expect(new URLSearchParams(listed).get("labelSelector") ?? "").toBe(labelSelector);
      expect([...new URLSearchParams(listed).keys()].length).toBeLessThanOrEqual(1);
    }),
  );
});
