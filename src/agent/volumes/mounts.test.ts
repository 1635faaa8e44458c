import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Container, VolumeMount } from "../../api/generated/core.ts";
import { composeMounts } from "./mounts.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), "tally-mounts-"));
  mkdirSync(path.join(directory, "pod-7"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function composed(volumeMounts: readonly VolumeMount[], isReadOnly = false) {
  const container = { name: "c", volumeMounts, resources: {} } as Container;
  const variables = new Map([["INDEX", "7"]]);
  return composeMounts(container, variables, new Map([["v", { path: directory, isReadOnly }]]));
}

function problemOf(mount: Omit<VolumeMount, "name" | "mountPath">): string | undefined {
  const result = composed([{ name: "v", mountPath: "/v", ...mount }]);
  return "problem" in result ? `${result.problem.reason}: ${result.problem.message}` : undefined;
}

test.each<[string, Omit<VolumeMount, "name" | "mountPath">, boolean, object]>([
  ["nothing more", {}, false, { isReadOnly: false }],
  ["readOnly", { readOnly: true }, false, { isReadOnly: true }],
  ["a volume nobody writes to", {}, true, { isReadOnly: true }],
  [
    "recursiveReadOnly, if possible",
    { readOnly: true, recursiveReadOnly: "IfPossible" },
    false,
    { isReadOnly: true },
  ],
  [
    "propagation",
    { mountPropagation: "HostToContainer" },
    false,
    { isReadOnly: false, propagation: "HostToContainer" },
  ],
  ["propagation None", { mountPropagation: "None" }, false, { isReadOnly: false }],
])("a mount with %s", (_, mount, isReadOnly, expected) => {
  expect(composed([{ name: "v", mountPath: "/v", ...mount }], isReadOnly)).toEqual({
    mounts: [{ source: directory, mountPath: "/v", ...expected }],
  });
});

test("what is mounted into another mount comes after it", () => {
  const places = ["/a/b/c", "/a/b", "/x/", "/a"];
  const result = composed(places.map((mountPath) => ({ name: "v", mountPath })));
  const order = "mounts" in result ? result.mounts.map(({ mountPath }) => mountPath) : [];
  expect(order).toEqual(["/x/", "/a", "/a/b", "/a/b/c"]);
});

test("variables of the container name a part of the volume", () => {
  const result = composed([{ name: "v", mountPath: "/v", subPathExpr: "pod-$(INDEX)" }]);
  expect(result).toMatchObject({ mounts: [{ source: path.join(directory, "pod-7") }] });
});

const PROBLEM = "CreateContainerConfigError:";

test.each([
  [{ subPathExpr: "$(A)/$(B)" }, `${PROBLEM} missing value for A, B`],
  [{ subPath: "/a" }, `${PROBLEM} error SubPath \`/a\` must not be an absolute path`],
  [
    { subPath: "a/../b" },
    `${PROBLEM} unable to provision SubPath \`a/../b\`: must not contain '..'`,
  ],
  [{ subPath: "a..b" }, undefined],
  [
    { readOnly: true, recursiveReadOnly: "Enabled" },
    `${PROBLEM} failed to resolve recursive read-only mode: volume "v" requested recursive ` +
      "read-only mode, but it is not supported by the runtime",
  ],
])("a mount of %j", (mount, expected) => {
  expect(problemOf(mount)).toBe(expected);
});

test("a part that leads out of the volume tells nothing of the host", () => {
  symlinkSync("/etc", path.join(directory, "link"));
  expect(problemOf({ subPath: "link" })).toBe(
    `${PROBLEM} failed to prepare subPath for volumeMount "v" of container "c"`,
  );
});

test("a volume that is not there cannot be mounted", () => {
  expect(composed([{ name: "w", mountPath: "/w" }])).toEqual({
    problem: {
      reason: "CreateContainerConfigError",
      message: 'cannot find volume "w" to mount into container "c"',
    },
  });
});
