import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noCgroups, openCgroups } from "./cgroups.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tally-cgroups-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A tree of files where a kernel would have its own. */
function machine(own: string, files: { readonly [path: string]: string }): string {
  for (const [path, text] of Object.entries(files)) put(path, text);
  put("own", own);
  return join(root, "own");
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const read = (path: string) => readFileSync(join(root, path), "utf8");
const LIMITS = { cpuMillis: 250, memoryBytes: 1 << 20 };
const FIRST = "4:memory:/a\n1:cpu,cpuacct:/b\n0::/\n";

test("version 1: below the group of each controller that we are in", () => {
  const own = machine(FIRST, { "memory/a/tasks": "", "cpu,cpuacct/b/tasks": "" });
  const cgroups = openCgroups(root, own);
  expect(cgroups.can).toEqual({ enforcesMemory: true, enforcesCpu: true });
  cgroups.confine("s", 42, LIMITS);
  expect(read("memory/a/tally-s/memory.limit_in_bytes")).toBe("1048576");
  expect(read("memory/a/tally-s/cgroup.procs")).toBe("42");
  expect(read("cpu,cpuacct/b/tally-s/cpu.cfs_quota_us")).toBe("25000");
  expect(read("cpu,cpuacct/b/tally-s/cpu.cfs_period_us")).toBe("100000");
  expect(cgroups.wasOutOfMemory("s")).toBe(false);
  put("memory/a/tally-s/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  expect(cgroups.wasOutOfMemory("s")).toBe(true);
});

test.each([
  ["the group that was handed to us", "user", { "user/cgroup.subtree_control": "cpu memory\n" }],
  [
    "the root where it was not",
    ".",
    { "user/cgroup.subtree_control": "\n", "cgroup.subtree_control": "cpuset cpu memory\n" },
  ],
])("version 2: below %s", (_what, parent, files) => {
  const cgroups = openCgroups(root, machine("0::/user\n", files));
  expect(cgroups.can).toEqual({ enforcesMemory: true, enforcesCpu: true });
  cgroups.confine("s", 42, LIMITS);
  expect(read(`${parent}/tally-s/memory.max`)).toBe("1048576");
  expect(read(`${parent}/tally-s/cpu.max`)).toBe("25000 100000");
  put(`${parent}/tally-s/memory.events`, "oom 1\noom_kill 2\noom_group_kill 0\n");
  expect(cgroups.wasOutOfMemory("s")).toBe(true);
});

test("only what can be kept is promised", () => {
  const own = machine("0::/user\n", { "cgroup.subtree_control": "cpu\n" });
  const cgroups = openCgroups(root, own);
  expect(cgroups.can).toEqual({ enforcesMemory: false, enforcesCpu: true });
  expect(cgroups.enforces({ memoryBytes: 1 })).toBe(false);
  expect(cgroups.enforces(undefined)).toBe(false);
  expect(cgroups.enforces(LIMITS)).toBe(true);
  expect(cgroups.wasOutOfMemory("s")).toBe(false);
});

test("a machine without control groups keeps no limits", () => {
  const { can } = openCgroups(root, join(root, "none"));
  expect(can).toEqual({ enforcesMemory: false, enforcesCpu: false });
});

test("a place where no group can be made is none, whatever its permissions say", () => {
  const own = machine(FIRST, {
    "memory/a/tasks": "",
    [`memory/a/tally-probe-${process.pid}`]: "in the way",
    "cpu,cpuacct/b/tasks": "",
  });
  expect(openCgroups(root, own).can).toEqual({ enforcesMemory: false, enforcesCpu: true });
});

test("who does without promises nothing", () => {
  expect(noCgroups.can).toEqual({ enforcesMemory: false, enforcesCpu: false });
  expect(noCgroups.enforces(LIMITS)).toBe(false);
});
