import { expect, test } from "vitest";
import { created } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Endpoints } from "../../api/generated/core.ts";
import type { Json } from "../../api/object.ts";
import { endpointsKind } from "./kind.ts";

function endpoints(...subsets: Json[]): Endpoints {
  return created<Endpoints>(endpointsKind, { subsets });
}

const ips = (...list: string[]) => list.map((ip) => ({ ip }));

test.each<[Json, string[]]>([
  [{ addresses: ips("10.0.0.1"), ports: [{ port: 80 }] }, []],
  [{}, ["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"]],
  [
    { notReadyAddresses: ips("nope") },
    [
      'subsets[0].notReadyAddresses[0].ip: Invalid value: "nope": ' +
        "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
      'subsets[0].notReadyAddresses[0].ip: Invalid value: "nope": must be a valid IP address',
    ],
  ],
  [
    { addresses: ips("10.0.0.1"), ports: [{ port: 0 }, { port: 81, name: "b" }] },
    [
      "subsets[0].ports[0].name: Required value",
      "subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
    ],
  ],
])("the subset %j has the expected findings", (subset, expected) => {
  expect(endpointsKind.rules.validate(endpoints(subset)).map(formatFinding)).toEqual(expected);
});

test("unchanged subsets are not validated again", () => {
  const old = endpoints({});
  expect(endpointsKind.rules.validateUpdate(old, old)).toEqual([]);
  expect(endpointsKind.rules.validateUpdate(endpoints({}, {}), old)).toHaveLength(2);
});

test.each<[Json[], string]>([
  [[], "<none>"],
  [[{ addresses: ips("10.0.0.1", "fd00::1"), ports: [{ port: 80 }] }], "10.0.0.1:80,[fd00::1]:80"],
  [[{ addresses: ips("10.0.0.1") }], "10.0.0.1"],
  [
    [{ addresses: ips("10.0.0.1", "10.0.0.2"), ports: [{ port: 1 }, { port: 2 }] }],
    "10.0.0.1:1,10.0.0.2:1,10.0.0.1:2 + 1 more...",
  ],
])("a row of %j shows %s", (subsets, expected) => {
  expect(endpointsKind.cells(endpoints(...subsets), new Date(0))[1]).toBe(expected);
});
