import { expect, test } from "vitest";
import { configMapBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const NAMELESS =
  "the name of the object (a based on URL) was undeterminable: name must be provided";

function patched(change: unknown, contentType: string) {
  const server = aServer();
  ask(server, "POST", CONFIG_MAPS, { ...configMapBody({ name: "a" }), data: { k: "v" } });
  return ask(server, "PATCH", `${CONFIG_MAPS}/a`, change, { contentType });
}

test.each([
  ["removing the kind", { kind: null }, MERGE],
  ["another kind in a strategic merge", { kind: "Secret" }, STRATEGIC],
  ["another version in a strategic merge", { apiVersion: "v2" }, STRATEGIC],
])("%s changes nothing", (_, change, contentType) => {
  expect(patched(change, contentType)).toMatchObject({
    status: 200,
    object: { kind: "ConfigMap", apiVersion: "v1", data: { k: "v" } },
  });
});

test("after a patch removes the apiVersion, no field is known", () => {
  expect(patched({ apiVersion: null }, MERGE)).toMatchObject({
    status: 400,
    object: { message: NAMELESS },
    warnings: ['unknown field "data"', 'unknown field "metadata"'],
  });
});

test("a strategic merge patch that deletes the name is rejected", () => {
  expect(patched({ $patch: "delete" }, STRATEGIC)).toMatchObject({
    status: 400,
    object: { message: NAMELESS },
  });
});

test.each([
  [{ kind: "Nope" }, 'no kind "Nope" is registered for version "v1"'],
  [{ apiVersion: "v2" }, 'no kind "ConfigMap" is registered for version "v2"'],
  [{ apiVersion: "a/b/c" }, "unexpected GroupVersion string: a/b/c"],
  [{ kind: "Secret", data: null }, "converting (v1.Secret) to (core.ConfigMap)"],
])("a merge patch to %j is invalid", (change, problem) => {
  expect(patched(change, MERGE)).toMatchObject({
    status: 422,
    object: { message: expect.stringContaining(problem) },
  });
});

test.each([
  [{ binaryData: { b: "?" } }, "error decoding from json: illegal base64 data at input byte 0"],
  [{ data: { k: true } }, "unrecognized type: string"],
])("a strategic merge patch to %j has its own error message", (change, problem) => {
  expect(patched(change, STRATEGIC)).toMatchObject({
    status: 422,
    object: { message: expect.stringContaining(problem) },
  });
});
