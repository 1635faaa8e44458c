import { describe, expect, test } from "vitest";
import type { Secret } from "../../../api/generated/core.ts";
import { type ImageReference, parseImageReference } from "./image-reference.ts";
import { credentialsFor, encodeForHeader } from "./registry-credentials.ts";

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

function pullSecret(auths: object): Secret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "pull" },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": encoded({ auths }) },
  };
}

function reference(text: string): ImageReference {
  const parsed = parseImageReference(text);
  if (!parsed) throw new Error(text);
  return parsed;
}

const login = { username: "ann", password: "pw" };

describe("the credentials for an image", () => {
  test.each([
    ["quay.io/org/tool", "quay.io"],
    ["quay.io/org/tool", "https://quay.io/v2/"],
    ["quay.io/org/tool", "quay.io/org"],
    ["quay.io/org/tool", "*.io"],
    ["registry:5000/tool", "registry:5000"],
    ["busybox", "https://index.docker.io/v1/"],
    ["busybox", "docker.io"],
  ])("of %s are those of %s", (image, place) => {
    const found = credentialsFor(reference(image), [pullSecret({ [place]: login })]);
    expect(found.map(({ username }) => username)).toEqual(["ann"]);
  });

  test.each([
    ["quay.io/org/tool", "quay.io/other"],
    ["quay.io/organic/tool", "quay.io/org"],
    ["a.quay.io/tool", "*.io"],
    ["registry:5000/tool", "registry:5001"],
    ["busybox", "quay.io"],
  ])("of %s are not those of %s", (image, place) => {
    expect(credentialsFor(reference(image), [pullSecret({ [place]: login })])).toEqual([]);
  });

  test("are tried from the narrowest name to the widest", () => {
    const secret = pullSecret({
      "quay.io": { username: "all", password: "1" },
      "quay.io/org/tool": { auth: Buffer.from("one:2:3").toString("base64") },
      "quay.io/org": { username: "team", password: "4" },
    });
    expect(credentialsFor(reference("quay.io/org/tool"), [secret])).toEqual([
      { username: "one", password: "2:3", serveraddress: "quay.io" },
      { username: "team", password: "4", serveraddress: "quay.io" },
      { username: "all", password: "1", serveraddress: "quay.io" },
    ]);
  });

  test("are found in the older form of a secret", () => {
    const secret: Secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "old" },
      type: "kubernetes.io/dockercfg",
      data: { ".dockercfg": encoded({ "quay.io": login }) },
    };
    expect(credentialsFor(reference("quay.io/a"), [secret])).toHaveLength(1);
  });

  test("are none in a secret that cannot be read, or is of another type", () => {
    const broken = { ...pullSecret({}), data: { ".dockerconfigjson": "bm8ganNvbg==" } };
    const other = { ...pullSecret({ "quay.io": login }), type: "Opaque" };
    expect(credentialsFor(reference("quay.io/a"), [broken, other])).toEqual([]);
  });
});

test.each(["a", "ab", "abc", "ÿ?ÿ>~"])(
  "with the password %j they fit into a header",
  (password) => {
    const credentials = { username: "ann", password, serveraddress: "quay.io" };
    const text = encodeForHeader(credentials);
    // Engines refuse what is not filled up, and what is not of the alphabet of URLs.
    expect(text).toMatch(/^(?:[\w-]{4})*(?:[\w-]{2}==|[\w-]{3}=)?$/);
    expect(JSON.parse(Buffer.from(text, "base64url").toString("utf8"))).toEqual(credentials);
  },
);
