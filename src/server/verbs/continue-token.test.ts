import fc from "fast-check";
import { expect, test } from "vitest";
import { formatContinue, parseContinue } from "./continue-token.ts";

test("a token leads back to the object it was made from", () => {
  const name = fc.string({ minLength: 1 }).filter((text) => !/[/\u0000]/.test(text));
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.option(name), name, (revision, namespace, last) => {
      const place = { namespace: namespace ?? "", name: last };
      expect(parseContinue(formatContinue(revision, place))).toEqual({ revision, after: place });
    }),
  );
});

test.each([
  ["nonsense", "invalid character '\\u009e' looking for beginning of value"],
  ["?", "illegal base64 data"],
  [
    encode({ v: "other", rv: 1, start: "a" }),
    'server does not recognize this encoded version "other"',
  ],
  [encode({ v: "meta.k8s.io/v1", rv: 0, start: "a" }), "incorrect encoded start resourceVersion"],
  [encode({ v: "meta.k8s.io/v1", rv: 1 }), "encoded start key empty"],
])("the token %s is refused", (token, problem) => {
  expect(() => parseContinue(token)).toThrow(problem);
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
