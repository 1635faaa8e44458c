import { expect, test } from "vitest";
import { created, patched } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { EndpointSlice } from "../../api/generated/discovery.ts";
import type { Json } from "../../api/object.ts";
import { endpointSliceKind } from "./kind.ts";

function slice(body: { [field: string]: Json }): EndpointSlice {
  return created<EndpointSlice>(endpointSliceKind, { addressType: "IPv4", ...body });
}

test.each<[{ [field: string]: Json }, string[]]>([
  [{ endpoints: [{ addresses: ["10.0.0.1"] }] }, []],
  [
    { endpoints: [{ addresses: [] }] },
    ["endpoints[0].addresses: Required value: must contain at least 1 address"],
  ],
  [
    { endpoints: [{ addresses: ["fd00::1"] }] },
    ['endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address'],
  ],
  [
    { endpoints: [{ addresses: ["127.0.0.1"] }] },
    [
      'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": ' +
        "may not be in the loopback range (127.0.0.0/8, ::1/128)",
    ],
  ],
  [
    { endpoints: [{ addresses: ["nope"] }] },
    [
      'endpoints[0].addresses[0]: Invalid value: "nope": ' +
        "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
    ],
  ],
  [
    { addressType: "IPv6", endpoints: [{ addresses: ["FD00::1"] }] },
    [
      'endpoints[0].addresses[0]: Invalid value: "FD00::1": ' +
        'must be in canonical form ("fd00::1")',
    ],
  ],
  [{ addressType: "FQDN", endpoints: [{ addresses: ["a.example.com."] }] }, []],
  [
    { addressType: "X" },
    ['addressType: Unsupported value: "X": supported values: "FQDN", "IPv4", "IPv6"'],
  ],
  [
    {
      endpoints: [{ addresses: ["10.0.0.1"], hints: { forZones: [{ name: "z" }, { name: "z" }] } }],
    },
    ['endpoints[0].hints.forZones[1].name: Duplicate value: "z"'],
  ],
])("a slice of %j has the expected findings", (body, expected) => {
  expect(endpointSliceKind.rules.validate(slice(body)).map(formatFinding)).toEqual(expected);
});

test("the address type of a slice is immutable, and changed labels are a new generation", () => {
  const old = slice({ metadata: { name: "s", labels: { a: "1" } } });
  const next = patched<EndpointSlice>(endpointSliceKind, old, {
    addressType: "IPv6",
    metadata: { labels: { a: "2" } },
  });
  next.metadata.generation = 1;
  endpointSliceKind.rules.prepareForUpdate?.(next, {
    ...old,
    metadata: { ...old.metadata, generation: 1 },
  });
  expect(next.metadata.generation).toBe(2);
  expect(endpointSliceKind.rules.validateUpdate(next, old).map(formatFinding)).toEqual([
    'addressType: Invalid value: "IPv6": field is immutable',
  ]);
});

test("deprecatedTopology is dropped", () => {
  const endpoint = { addresses: ["10.0.0.1"], deprecatedTopology: { a: "b" } };
  const made = slice({ endpoints: [endpoint] });
  expect(made.endpoints).toEqual([{ addresses: ["10.0.0.1"], conditions: {} }]);
  const next = patched<EndpointSlice>(endpointSliceKind, made, { endpoints: [endpoint] });
  endpointSliceKind.rules.prepareForUpdate?.(next, made);
  expect(next.endpoints).toEqual(made.endpoints);
});

test.each<[{ [field: string]: Json }, string[]]>([
  [
    { addressType: "FQDN", endpoints: [{ addresses: ["a.b"] }] },
    ["spec.addressType: FQDN endpoints are deprecated"],
  ],
  [
    { addressType: "IPv6", endpoints: [{ addresses: ["FD00::1"] }] },
    [
      'endpoints[0].addresses[0]: IPv6 address "FD00::1" should be in RFC 5952 canonical format ' +
        '("fd00::1")',
    ],
  ],
])("a slice of %j has the warnings %j", (body, expected) => {
  expect(endpointSliceKind.rules.warningsOnCreate?.(slice(body))).toEqual(expected);
});

test.each([
  [[{}], "<unset>"],
  [[{ name: "a" }, { name: "b", port: 5 }], "a,5"],
])("the ports %j read %s", (ports, expected) => {
  expect(endpointSliceKind.cells(slice({ ports }), new Date())[2]).toBe(expected);
});

test("unchanged endpoints are not validated again, and the type is reported once", () => {
  const old = slice({ addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }] });
  const next = slice({ addressType: "IPv6", endpoints: [{ addresses: ["10.0.0.1"] }] });
  expect(endpointSliceKind.rules.validateUpdate(next, old).map(formatFinding)).toEqual([
    'addressType: Invalid value: "IPv6": field is immutable',
  ]);
  expect(endpointSliceKind.rules.warningsOnUpdate?.(slice({ addressType: "FQDN" }), old)).toEqual(
    [],
  );
});
