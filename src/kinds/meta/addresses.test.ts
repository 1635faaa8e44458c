import { expect, test } from "vitest";
import { formatFinding } from "../../api/finding.ts";
import { cidrFamily, ipFamily, validateCidr, validateIp } from "./addresses.ts";
import { validateNonSpecialIp } from "./special-addresses.ts";

const IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

test.each([
  ["10.0.0.1", []],
  ["::1", []],
  ["nope", [IP]],
  ["256.0.0.1", [IP]],
  ["010.0.0.1", ["must not have leading 0s"]],
  ["::ffff:10.0.0.1", ["must not be an IPv4-mapped IPv6 address"]],
])("the address %s has the problems %j", (text, expected) => {
  const details = validateIp(text, "ip").map(formatFinding);
  expect(details).toEqual(expected.map((detail) => `ip: Invalid value: "${text}": ${detail}`));
});

test.each([
  ["10.0.0.0/24", []],
  ["2001:db8::/64", []],
  ["10.0.0.0", [CIDR]],
  ["10.0.0.0/33", [CIDR]],
  ["10.0.0.0/24/1", [CIDR]],
  ["10.0.0.1/24", ["must not have bits set beyond the prefix length"]],
])("the range %s has the problems %j", (text, expected) => {
  const details = validateCidr(text, "r").map(formatFinding);
  expect(details).toEqual(expected.map((detail) => `r: Invalid value: "${text}": ${detail}`));
});

test("the family of an address and of a range is determined", () => {
  expect([ipFamily("10.0.0.1"), ipFamily("fe80::1"), ipFamily("None")]).toEqual([
    "IPv4",
    "IPv6",
    undefined,
  ]);
  expect(cidrFamily("fd00::/8")).toBe("IPv6");
});

test.each([
  ["10.0.0.1", {}, 0],
  ["0.0.0.0", {}, 1],
  ["127.0.0.1", {}, 1],
  ["127.64.0.9", {}, 0],
  ["169.254.1.1", {}, 1],
  ["224.0.0.9", {}, 1],
  ["127.0.0.1", { namespace: "default", name: "kubernetes" }, 0],
  ["127.0.0.1", { namespace: "other", name: "kubernetes" }, 1],
])("%s as an endpoint of %j has %d problems", (ip, place, count) => {
  expect(validateNonSpecialIp(ip, "ip", place)).toHaveLength(count);
});
