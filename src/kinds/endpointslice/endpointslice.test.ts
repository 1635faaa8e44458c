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
    ['endpoints[0].addresses[0]: Invalid value: "fd00::1": must be a valid IPv4 address'],
  ],
  [
    { endpoints: [{ addresses: ["127.0.0.1"] }] },
    [
      'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": ' +
        "may not be in the loopback range (127.0.0.0/8, ::1/128)",
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
])("a slice of %j", (body, expected) => {
  expect(endpointSliceKind.rules.validate(slice(body)).map(formatFinding)).toEqual(expected);
});

test("the family of a slice stays, and new labels are a new generation", () => {
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
