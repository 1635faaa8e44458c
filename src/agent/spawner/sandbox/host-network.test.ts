import { expect, test } from "vitest";
import { bridgeName, hardwareAddress } from "./host-network.ts";

test("a bridge has a hardware address by its name, that of no device", () => {
  expect(hardwareAddress("tally-2f90cfd4")).toBe("02:74:2f:90:cf:d4");
  expect(hardwareAddress(bridgeName("/a"))).toMatch(/^02:74(:[0-9a-f]{2}){4}$/);
  expect(hardwareAddress(bridgeName("/a"))).not.toBe(hardwareAddress(bridgeName("/b")));
});
