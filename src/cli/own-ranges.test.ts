import { expect, test } from "vitest";
import { parseCidr } from "../base/address.ts";
import { SANDBOX_DEFAULTS } from "../command/sandbox-flags.ts";
import { ownServiceRange, withOwnRange } from "./own-ranges.ts";

const DIRECTORIES = Array.from({ length: 500 }, (_, at) => `/tmp/tally-test-${at}`);

test("a directory has a range of pods and one of Services, always the same", () => {
  const pods = DIRECTORIES.map((each) => withOwnRange(SANDBOX_DEFAULTS, each).podCidr);
  const services = DIRECTORIES.map(ownServiceRange);
  for (const range of [...pods, ...services]) expect(parseCidr(range)).toBeDefined();
  expect(withOwnRange(SANDBOX_DEFAULTS, DIRECTORIES[7] ?? "").podCidr).toBe(pods[7]);
  expect(new Set(pods).size).toBeGreaterThan(50);
  expect(new Set(services).size).toBeGreaterThan(150);
});

test("a range that was given stays", () => {
  const flags = { ...SANDBOX_DEFAULTS, podCidr: "10.9.0.0/16" };
  expect(withOwnRange(flags, "/tmp/x")).toBe(flags);
});
