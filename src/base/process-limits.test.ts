import { expect, test } from "vitest";
import { formatLimits, isMore, parseLimits, readProcLimits } from "./process-limits.ts";

const PROC = `Limit                     Soft Limit           Hard Limit           Units     
Max cpu time              unlimited            unlimited            seconds   
Max core file size        0                    unlimited            bytes     
Max open files            1024                 4096                 files     
Max nice priority         0                    0                    
Max something new         1                    2                    bytes     
`;

test("limits are read from /proc and survive formatting and parsing", () => {
  const limits = readProcLimits(PROC);
  const text = "cpu=unlimited:unlimited core=0:unlimited nofile=1024:4096 nice=0:0";
  expect(formatLimits(limits)).toBe(text);
  expect(parseLimits(text)).toEqual(limits);
  expect(limits.get("nofile")).toEqual({ soft: 1024n, hard: 4096n });
});

test("invalid entries are skipped", () => {
  expect(formatLimits(parseLimits("nofile=5 core=-1:0 x=1:2 as=1:2;reboot nofile=1:2"))).toBe(
    "nofile=1:2",
  );
  expect(formatLimits(parseLimits(""))).toBe("");
});

test("unlimited is more than any number", () => {
  expect(isMore("unlimited", 5n)).toBe(true);
  expect(isMore(5n, "unlimited")).toBe(false);
  expect(isMore("unlimited", "unlimited")).toBe(false);
  expect(isMore(6n, 5n)).toBe(true);
  expect(isMore(5n, 5n)).toBe(false);
});
