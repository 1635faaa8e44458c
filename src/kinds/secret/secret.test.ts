import { expect, test } from "vitest";
import { created, patched } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Secret } from "../../api/generated/core.ts";
import type { Json } from "../../api/object.ts";
import { jsonObjectProblem } from "./json-syntax.ts";
import { secretKind } from "./kind.ts";

function secret(body: { [field: string]: Json }): Secret {
  return created<Secret>(secretKind, body);
}

function problems(body: { [field: string]: Json }): string[] {
  return secretKind.rules.validate(secret(body)).map(formatFinding);
}

test("stringData is merged into data, sorted, and overrides it", () => {
  const made = secret({ data: { b: "b2xk", c: "Yw==" }, stringData: { b: "new", a: "ä" } });
  expect(made).toMatchObject({ data: { a: "w6Q=", b: "bmV3", c: "Yw==" }, type: "Opaque" });
  expect(Object.keys(made.data ?? {})).toEqual(["a", "b", "c"]);
  expect(made).not.toHaveProperty("stringData");
});

test.each([
  ["kubernetes.io/basic-auth", { password: "p" }, []],
  ["kubernetes.io/basic-auth", { x: "" }, ["username", "password"]],
  ["kubernetes.io/ssh-auth", { "ssh-privatekey": "" }, ["ssh-privatekey"]],
  ["kubernetes.io/tls", { "tls.crt": "" }, ["tls.key"]],
  ["kubernetes.io/dockercfg", {}, [".dockercfg"]],
  ["example.com/anything", {}, []],
])("a secret of type %s with %j misses %j", (type, stringData, missing) => {
  const expected = missing.map((key) => `data[${key}]: Required value`);
  expect(problems({ type, stringData })).toEqual(expected);
});

test("neither the type nor immutable data may change", () => {
  const old = secret({ immutable: true, stringData: { a: "1" } });
  const next = patched<Secret>(secretKind, old, {
    immutable: false,
    type: "example.com/x",
    stringData: { a: "2" },
  });
  expect(secretKind.rules.validateUpdate(next, old).map(formatFinding)).toEqual([
    'type: Invalid value: "example.com/x": field is immutable',
    "immutable: Forbidden: field is immutable when `immutable` is set",
    "data: Forbidden: field is immutable when `immutable` is set",
  ]);
});

function pem(type: string): string {
  return `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`;
}

test.each([
  ["x", "y", "failed to find any PEM data in certificate input"],
  [
    pem("RSA PRIVATE KEY"),
    "y",
    "failed to find certificate PEM data in certificate input, " +
      "but did find a private key; PEM inputs may have been switched",
  ],
  [
    pem("X") + pem("Y"),
    "y",
    'failed to find "CERTIFICATE" PEM block in certificate input ' +
      "after skipping PEM blocks of the following types: [X Y]",
  ],
  [pem("CERTIFICATE"), "y", "failed to find any PEM data in key input"],
  [
    pem("CERTIFICATE"),
    pem("CERTIFICATE"),
    "found a certificate rather than a key in the PEM for the private key",
  ],
  [
    pem("CERTIFICATE"),
    pem("X"),
    'failed to find PEM block with type ending in "PRIVATE KEY" in key input ' +
      "after skipping PEM blocks of the following types: [X]",
  ],
])("the certificate %j with the key %j causes the warning: %s", (certificate, key, problem) => {
  const stringData = { "tls.crt": certificate, "tls.key": key };
  const made = secret({ type: "kubernetes.io/tls", stringData });
  expect(secretKind.rules.warningsOnCreate?.(made)).toEqual([`tls: ${problem}`]);
});

test.each([
  ['{"a":[1,-2.5e+3,"\\u00e4",true,false,null,{}]}', undefined],
  [" null ", undefined],
  ["", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ["nope", "invalid character 'o' in literal null (expecting 'u')"],
  ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['{"a":[1 2]}', "invalid character '2' after array element"],
  ['{"a":x}', "invalid character 'x' looking for beginning of value"],
  ['{"a":"\n"}', "invalid character '\\n' in string literal"],
  ['{"a":"\\q"}', "invalid character 'q' in string escape code"],
  ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
  ["\u00c7", "invalid character 'Ç' looking for beginning of value"],
  ["{} {}", "invalid character '{' after top-level value"],
  ["[]", "json: cannot unmarshal array into Go value of type map[string]interface {}"],
  ["true", "json: cannot unmarshal bool into Go value of type map[string]interface {}"],
])("the problem of %j as a JSON object is %s", (text, expected) => {
  expect(jsonObjectProblem(text)).toBe(expected);
});
