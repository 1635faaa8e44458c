import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { formatLimits, parseLimits, readProcLimits } from "../../base/process-limits.ts";
import { decideRestore, type Means, UNCHANGED } from "./restore-settings.ts";

const OWN = "core=0:unlimited stack=8388608:unlimited nofile=4096:4096 nproc=500:500 as=2048:4096";

const means = (change: Partial<Means> = {}): Means => ({
  umask: 0o022,
  limits: parseLimits(OWN),
  isDash: true,
  prlimit: "/usr/bin/prlimit",
  canRaise: () => false,
  ...change,
});

const restore = (limits: string, change?: Partial<Means>) =>
  decideRestore({ umask: "0022", limits }, means(change));

test("nothing is done for what the spawner has itself", () => {
  expect(restore(OWN)).toEqual(UNCHANGED);
});

test.each<[string, string]>([
  ["nofile=1024:4096", "ulimit -S -n 1024&&"],
  ["nofile=1024:2048", "ulimit -S -n 1024&&ulimit -H -n 2048&&"],
  ["nofile=512:512", "ulimit -n 512&&"],
  ["core=unlimited:unlimited", "ulimit -c unlimited&&"],
  ["core=1024:unlimited", "ulimit -S -c 2&&"],
  ["stack=1048576:2097152", "ulimit -S -s 1024&&ulimit -H -s 2048&&"],
  ["nproc=100:200", "ulimit -S -p 100&&ulimit -H -p 200&&"],
])("the shell sets %s by %s", (limits, shell) => {
  expect(restore(limits)).toMatchObject({ shell, prefix: [], unmet: [] });
});

test.each<[string, string, Partial<Means>]>([
  ["core=1000:unlimited", "--core=1000:unlimited", {}],
  ["nofile=20:4096", "--nofile=20:4096", {}],
  ["nproc=100:200", "--nproc=100:200", { isDash: false }],
])("prlimit sets %s, which the shell cannot", (limits, flag, change) => {
  expect(restore(limits, change)).toMatchObject({
    shell: "",
    prefix: ["/usr/bin/prlimit", flag],
    unmet: [],
  });
});

test("a hard limit is raised before the soft one, where it can be raised", () => {
  expect(restore("nofile=5000:6000", { canRaise: () => true })).toMatchObject({
    shell: "ulimit -H -n 6000&&ulimit -S -n 5000&&",
    unmet: [],
  });
});

test("a hard limit that cannot be raised is named, and what is possible is set", () => {
  expect(restore("nofile=1024:8192 as=8192:16384")).toMatchObject({
    shell: "ulimit -S -n 1024&&ulimit -v 4&&",
    unmet: ["nofile 8192 (here 4096)", "as 16384 (here 4096)"],
  });
});

test("a limit that nothing here can set is named", () => {
  const { prlimit: _, ...without } = means({ isDash: false });
  expect(decideRestore({ umask: "0022", limits: "nproc=100:500" }, without)).toMatchObject({
    shell: "",
    prefix: [],
    unmet: ["nproc 100 (here 500)"],
  });
});

test("a umask that closes files to their owner is known", () => {
  const restored = (umask: string) => decideRestore({ umask, limits: "" }, means());
  expect(restored("0077")).toMatchObject({ shell: "umask 0077&&" });
  expect(restored("0777")).toMatchObject({ shell: "umask 0777&&" });
});

test("the shell of this machine does what is decided", () => {
  const ownText = execFileSync("/bin/sh", ["-c", "cat /proc/self/limits"], { encoding: "utf8" });
  const limits = readProcLimits(ownText);
  const wanted = new Map(limits)
    .set("nofile", { soft: 200n, hard: 300n })
    .set("core", { soft: 0n, hard: 512n * 7n })
    .set("stack", { soft: 4_194_304n, hard: 8_388_608n });
  const text = formatLimits(wanted);
  const { shell, unmet } = decideRestore({ umask: "0123", limits: text }, means({ limits }));
  const script = `(${shell}cat /proc/self/limits); (${shell}umask)`;
  const seen = execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" });
  expect(formatLimits(readProcLimits(seen))).toBe(text);
  expect(seen.trim().endsWith("0123")).toBe(true);
  expect(unmet).toEqual([]);
});
