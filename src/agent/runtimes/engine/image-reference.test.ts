import { describe, expect, test } from "vitest";
import { formatImageReference, parseImageReference } from "./image-reference.ts";

describe("the name of an image", () => {
  const digest = `sha256:${"a".repeat(64)}`;
  test.each([
    ["busybox", "docker.io/library/busybox:latest"],
    ["busybox:1.36", "docker.io/library/busybox:1.36"],
    ["team/tool", "docker.io/team/tool:latest"],
    ["index.docker.io/team/tool:2", "docker.io/team/tool:2"],
    ["quay.io/org/tool:v1", "quay.io/org/tool:v1"],
    ["localhost/tool", "localhost/tool:latest"],
    ["registry:5000/a/b/c", "registry:5000/a/b/c:latest"],
    ["[::1]:5000/tool:1", "[::1]:5000/tool:1"],
    [`busybox@${digest}`, `docker.io/library/busybox@${digest}`],
    [`quay.io/org/tool:v1@${digest}`, `quay.io/org/tool@${digest}`],
  ])("%s is %s", (text, whole) => {
    const reference = parseImageReference(text);
    expect(reference && formatImageReference(reference)).toBe(whole);
  });

  test.each([
    "",
    "Busybox",
    "a b",
    "busybox:",
    "busybox:a b",
    "a//b",
    "busybox@sha256:1",
    "-a",
    "a@b@c",
  ])("is not %j", (text) => {
    expect(parseImageReference(text)).toBeUndefined();
  });
});
