import { isIP } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addressAt,
  cidrContains,
  formatAddress,
  isLoopback,
  isUnspecified,
  parseAddress,
  parseCidr,
} from "./address.ts";

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["::1", "::1"],
  ["::", "::"],
  ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["1::", "1::"],
  ["::ffff:10.0.0.1", "::ffff:a00:1"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
])("%s is the address %s", (text, shortest) => {
  expect(formatAddress(parseAddress(text) ?? [])).toBe(shortest);
});

test.each([
  "",
  " ::1",
  "1.2.3",
  "1.2.3.4.5",
  "256.0.0.1",
  "01.2.3.4",
  "1:2",
  ":::",
  "1::2::3",
  "g::",
  "fe80::1%eth0",
  "1.2.3.4::",
  "::1.2.3",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7::8",
])("%j is not an address", (text) => expect(parseAddress(text)).toBeUndefined());

test("parseAddress accepts the same texts as Node", () => {
  const text = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ unit: fc.constantFrom(..."0:.1f") }));
  fc.assert(
    fc.property(text, (each) => {
      expect(parseAddress(each)?.length ?? 0).toBe([0, 0, 0, 0, 4, 0, 16][isIP(each)]);
    }),
    { numRuns: 2000 },
  );
});

test("formatting and parsing are inverses", () => {
  const address = fc.oneof(
    fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }),
    fc.array(fc.constantFrom(0, 0, 1, 255), { minLength: 16, maxLength: 16 }),
  );
  fc.assert(
    fc.property(address, (each) => {
      expect(parseAddress(formatAddress(each))).toEqual(each);
    }),
  );
});

test.each([
  ["10.96.0.0/12", 1, "10.96.0.1"],
  ["127.128.0.0/16", 258, "127.128.1.2"],
  ["fd00::/108", 1, "fd00::1"],
  ["0.0.0.0/0", 256, "0.0.1.0"],
])("in %s the address number %i is %s", (range, distance, expected) => {
  const cidr = parseCidr(range);
  expect(cidr && formatAddress(addressAt(cidr, distance))).toBe(expected);
});

test.each(["10.96.0.0", "10.96.0.1/12", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "/8", "::/129"])(
  "%j is not a range",
  (text) => expect(parseCidr(text)).toBeUndefined(),
);

test.each([
  ["10.96.0.0/12", "10.111.255.255", true],
  ["10.96.0.0/12", "10.112.0.0", false],
  ["10.96.0.0/12", "::a60:1", false],
  ["0.0.0.0/0", "1.2.3.4", true],
])("whether %s contains %s is %s", (range, address, expected) => {
  const cidr = parseCidr(range);
  expect(cidr && cidrContains(cidr, parseAddress(address) ?? [])).toBe(expected);
});

test.each([
  ["127.0.0.1", true, false],
  ["127.9.9.9", true, false],
  ["::1", true, false],
  ["0.0.0.0", false, true],
  ["::", false, true],
  ["10.0.0.1", false, false],
])("%s is loopback: %s, unspecified: %s", (text, loopback, unspecified) => {
  const address = parseAddress(text) ?? [];
  expect([isLoopback(address), isUnspecified(address)]).toEqual([loopback, unspecified]);
});
