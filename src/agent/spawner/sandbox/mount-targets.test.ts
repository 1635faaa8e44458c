import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findTarget } from "./mount-targets.ts";

let host: string;
beforeEach(() => {
  host = mkdtempSync(join(tmpdir(), "tally-targets-"));
});
afterEach(() => rmSync(host, { recursive: true, force: true }));

const bare = { missing: [], placed: [] };

test("what is there is mounted over", () => {
  mkdirSync(join(host, "a"));
  expect(findTarget(bare, join(host, "a"), true)).toEqual({
    path: join(host, "a"),
    isMissing: false,
  });
});

test("what is not there is to be made", () => {
  expect(findTarget(bare, join(host, "a/b/../c"), true)).toEqual({
    path: join(host, "a/c"),
    isMissing: true,
  });
});

test("a link is followed as the container would follow it", () => {
  mkdirSync(join(host, "real"));
  symlinkSync(join(host, "real"), join(host, "absolute"));
  symlinkSync("real", join(host, "relative"));
  symlinkSync("../../../../../../..", join(host, "up"));
  expect(findTarget(bare, join(host, "absolute/x"), true).path).toBe(join(host, "real/x"));
  expect(findTarget(bare, join(host, "relative/x"), true).path).toBe(join(host, "real/x"));
  expect(findTarget(bare, join(host, "up/x"), true).path).toBe("/x");
});

test("a link in a volume leads to a place in the container, never to one of the host", () => {
  const volume = join(host, "volume");
  mkdirSync(volume);
  symlinkSync("/etc", join(volume, "escape"));
  const placed = [{ path: "/data", source: volume }];
  const target = findTarget({ missing: [], placed }, "/data/escape/x", true);
  expect(target).toEqual({ path: "/etc/x", isMissing: true });
});

test("a place within a volume is made there", () => {
  const volume = join(host, "volume");
  mkdirSync(volume);
  const placed = [{ path: "/data", source: volume }];
  expect(findTarget({ missing: [], placed }, "/data/a/b", false).isMissing).toBe(false);
  expect(existsSync(join(volume, "a/b"))).toBe(true);
});

test("what the host has mounted and the root has not is not there", () => {
  mkdirSync(join(host, "run"));
  writeFileSync(join(host, "run/resolv.conf"), "");
  const view = { missing: [join(host, "run")], placed: [] };
  expect(findTarget(view, join(host, "run/resolv.conf"), false).isMissing).toBe(true);
});

test("links that go round in circles are refused", () => {
  symlinkSync("b", join(host, "a"));
  symlinkSync("a", join(host, "b"));
  expect(() => findTarget(bare, join(host, "a/x"), true)).toThrow("too many levels");
});
