import { expect, test } from "vitest";
import { capabilitiesOf, mayChangePlace, unknownCapabilities } from "./capabilities.ts";

const DEFAULT = capabilitiesOf({}) ?? [];

test("by default a container has those of a container but for two that lead out of it", () => {
  expect(DEFAULT).toContain("NET_BIND_SERVICE");
  expect(DEFAULT).not.toContain("SYS_CHROOT");
  expect(DEFAULT).not.toContain("MKNOD");
  expect(DEFAULT).not.toContain("SYS_ADMIN");
});

test.each([
  [{ drop: ["ALL"] }, []],
  [{ drop: ["ALL"], add: ["NET_BIND_SERVICE"] }, ["NET_BIND_SERVICE"]],
  [{ add: ["CAP_sys_time"] }, [...DEFAULT, "SYS_TIME"]],
  [{ drop: ["KILL"] }, DEFAULT.filter((name) => name !== "KILL")],
])("%j", (capabilities, expected) => {
  expect(capabilitiesOf({ capabilities })).toEqual(expected);
});

test("a privileged container has all there are", () => {
  expect(capabilitiesOf({ privileged: true })).toBeUndefined();
  expect(capabilitiesOf({ capabilities: { add: ["ALL"] } })).toBeUndefined();
});

test("all but some are all but these", () => {
  const some = capabilitiesOf({ capabilities: { add: ["ALL"], drop: ["SYS_ADMIN"] } });
  expect(some).toContain("SYS_CHROOT");
  expect(some).not.toContain("SYS_ADMIN");
});

test("a name that there is none of is found", () => {
  expect(unknownCapabilities({ capabilities: { add: ["FLY", "ALL"], drop: ["KILL"] } })).toEqual([
    "FLY",
  ]);
});

test("who administers the network or the system may change what the next one finds", () => {
  expect(mayChangePlace(undefined)).toBe(true);
  expect(mayChangePlace(["NET_ADMIN"])).toBe(true);
  expect(mayChangePlace(DEFAULT)).toBe(false);
});
