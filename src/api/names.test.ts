import { expect, test } from "vitest";
import { dns1123Subdomain, qualifiedName } from "./names.ts";

test("names are limited in characters, keys in bytes", () => {
  const long = "a".repeat(254);
  expect(dns1123Subdomain(long)).toEqual(["must be no more than 253 characters"]);
  expect(qualifiedName(`${long}/b`)).toEqual(["prefix part must be no more than 253 bytes"]);
  expect(qualifiedName("a".repeat(64))).toEqual(["name part must be no more than 63 bytes"]);
  expect(qualifiedName("/b")).toEqual(["prefix part must be non-empty"]);
});
