import { expect, test } from "vitest";
import { formatRootMounts } from "./root-mounts.ts";

test("a table has four fields for each mount, each ended by NUL", () => {
  const identity = { device: 5, inode: 7 };
  const mounts = [
    { flags: "dr", source: "/host/a b", target: "/data", identity },
    { flags: "d", target: "relative" },
  ];
  expect(formatRootMounts(mounts)).toBe("dr\0/host/a b\0/data\x005:7\0d\0\0/relative\0\0");
});

test("a path with a NUL is refused, because it would add entries to the table", () => {
  const target = "/data\0\0d\0/etc\0/lib\0";
  expect(() => formatRootMounts([{ flags: "d", target }])).toThrow("a path has a NUL character");
});
