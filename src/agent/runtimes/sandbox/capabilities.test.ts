import { expect, test } from "vitest";
import {
  capabilitiesOf,
  mayChangePlace,
  refusedCapabilities,
  unknownCapabilities,
  withheldCapabilities,
} from "./capabilities.ts";

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

test("only a privileged container has all there are", () => {
  const all = { privileged: true, capabilities: { add: ["ALL", "SYS_ADMIN", "SYS_PTRACE"] } };
  expect(capabilitiesOf(all)).toBeUndefined();
  expect([refusedCapabilities(all), withheldCapabilities(all)]).toEqual([[], []]);
});

const OPENING =
  "BPF DAC_READ_SEARCH MKNOD PERFMON SYS_ADMIN SYS_BOOT SYS_CHROOT SYS_MODULE SYS_PTRACE SYS_RAWIO";

test("all are all but those that open the host", () => {
  const all = { capabilities: { add: ["ALL"] } };
  expect(withheldCapabilities(all).join(" ")).toBe(OPENING);
  expect(capabilitiesOf(all)).toContain("NET_ADMIN");
  for (const name of OPENING.split(" ")) expect(capabilitiesOf(all)).not.toContain(name);
  const fewer = { capabilities: { add: ["ALL"], drop: ["NET_ADMIN", "SYS_ADMIN"] } };
  expect(capabilitiesOf(fewer)).not.toContain("NET_ADMIN");
  expect(withheldCapabilities(fewer)).not.toContain("SYS_ADMIN");
});

test.each(OPENING.split(" "))("%s is never given to a container that asks for it", (name) => {
  const asked = { capabilities: { add: [`CAP_${name}`] } };
  expect(capabilitiesOf(asked)).toEqual(DEFAULT);
  expect([...refusedCapabilities(asked), ...withheldCapabilities(asked)]).toEqual([name]);
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
