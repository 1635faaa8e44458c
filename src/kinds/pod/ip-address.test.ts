import fc from "fast-check";
import { expect, test } from "vitest";
import { parseIp } from "./ip-address.ts";

test.each([
  ["10.9.8.7", "10.9.8.7"],
  ["010.9.8.7", "10.9.8.7"],
  ["::", "::"],
  ["2001:DB8::0:1", "2001:db8::1"],
  ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
])("%s is the address %s", (text, canonical) => {
  expect(parseIp(text)?.canonical).toBe(canonical);
});

test.each([
  "",
  "a",
  "1.2.3",
  "1.2.3.256",
  "1.2.3.4.5",
  ":::",
  "1::2::3",
  "1:2",
  "12345::",
  "::1%eth0",
  "1.2.3.4::",
])("%j is not an address", (text) => {
  expect(parseIp(text)).toBeUndefined();
});

test("canonical texts of addresses are fixed points", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const canonical = parseIp(text)?.canonical ?? "";
      expect(parseIp(canonical)?.canonical).toBe(canonical);
    }),
  );
});
