import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { hasTool } from "../../test/support/debian-tool.ts";
import { openLocalRange } from "./local-range.ts";

const canRoute = process.getuid?.() === 0 && hasTool("ip", "iproute2");
/** Ranges reserved for documentation, which no machine uses. */
const [OURS, LEFT] = ["198.51.100.8/29", "198.51.100.16/29"];
const LEFT_BEHIND = "/run/tally/ranges/198.51.100.16_29";
/** Above the highest possible process ID. */
const NO_PROCESS = "4194305";

const isLocal = (cidr: string) =>
  execFileSync("ip", ["route", "show", "table", "local"], { encoding: "utf8" }).includes(cidr);

afterAll(() => rmSync(LEFT_BEHIND, { recursive: true, force: true }));

test.runIf(canRoute)("a range is local until it is closed", async () => {
  const range = await openLocalRange(OURS);
  expect(isLocal(OURS)).toBe(true);
  await range?.close();
  expect(isLocal(OURS)).toBe(false);
});

test.runIf(canRoute)("the range of a killed server is removed", async () => {
  mkdirSync(LEFT_BEHIND, { recursive: true });
  writeFileSync(`${LEFT_BEHIND}/${NO_PROCESS}`, "");
  execFileSync("ip", ["route", "replace", "local", LEFT, "dev", "lo"]);
  const range = await openLocalRange(OURS);
  await range?.close();
  expect(isLocal(LEFT)).toBe(false);
  expect(existsSync(LEFT_BEHIND)).toBe(false);
});
