import fc from "fast-check";
import { expect, test } from "vitest";
import { formatContinue, parseContinue } from "./continue-token.ts";

const NAME = fc.string({ minLength: 1 }).filter((text) => !/[/\u0000]|^\.{1,2}$/.test(text));

test("parsing a formatted token returns its object, in one and in all namespaces", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), NAME, NAME, (revision, namespace, name) => {
      const after = { namespace, name };
      for (const listed of [namespace, undefined]) {
        const token = formatContinue(revision, after, listed);
        expect(parseContinue(token, listed)).toEqual({ revision, after });
      }
    }),
  );
});

test("the token for a cluster-scoped kind contains only the name", () => {
  const token = formatContinue(7, { name: "node" }, "");
  expect(Buffer.from(token, "base64url").toString()).toContain('"start":"node\\u0000"');
  expect(parseContinue(token, "").after).toEqual({ namespace: "", name: "node" });
});

const WRONG_VERSION = "server does not recognize this encoded version";

test.each([
  ["nonsense", "invalid character '\\u009e' looking for beginning of value"],
  ["?", "illegal base64 data at input byte 0"],
  ["a+b", "illegal base64 data at input byte 1"],
  ["x", "illegal base64 data at input byte 0"],
  [encode([]), "json: cannot unmarshal array into Go value of type storage.continueToken"],
  [encode(null), `${WRONG_VERSION} `],
  [encode({ v: "other", rv: 1, start: "a" }), `${WRONG_VERSION} other`],
  [
    encode({ v: 1 }),
    "json: cannot unmarshal number into Go struct field continueToken.v of type string",
  ],
  [
    encode({ rv: "x" }),
    "json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
  ],
  [
    encode({ v: "meta.k8s.io/v1", rv: 0, start: "a" }),
    "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  ],
  [encode({ v: "meta.k8s.io/v1", rv: 1 }), "encoded start key empty (version meta.k8s.io/v1)"],
  [encode({ v: "meta.k8s.io/v1", rv: 1, start: "../a" }), "../a"],
  [encode({ v: "meta.k8s.io/v1", rv: 1, start: "a/../b" }), "a/../b"],
  [encode({ v: "meta.k8s.io/v1", rv: 1, start: "a//b" }), "a//b"],
])("the token %s is rejected", (token, problem) => {
  const message = `invalid continue token: continue key is not valid: ${problem}`;
  expect(() => parseContinue(token, "default")).toThrow(
    expect.objectContaining({ message, code: 400 }),
  );
});

function encode(value: object | null): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
