import { expect, test } from "vitest";
import type { SandboxOrder, StartOrder } from "../protocol.ts";
import { composeSandboxScript, type SandboxFacts } from "./sandbox-script.ts";

const order: StartOrder = {
  order: "start",
  run: "u/c/0",
  command: ["work", "it's"],
  environment: [
    ["PATH", "/bin"],
    ["LD_PRELOAD", "/evil.so"],
  ],
  directory: "/srv",
  logFile: "/logs/a.log",
};

const sandbox: SandboxOrder = {
  hostname: "h",
  messagePath: "/dev/termination-log",
  user: { uid: 7, gid: 8, groups: [9] },
  capabilities: ["KILL", "NET_RAW"],
  mayGainPrivileges: false,
  hasReadOnlyRoot: false,
  isAlone: true,
  mounts: [],
};

const facts: SandboxFacts = {
  number: 3,
  executable: "/bin/work",
  marker: "u/c/0",
  root: "/s/roots/1/root",
  hiddenFile: "/s/roots/1/hidden",
  tools: {
    unshare: "/usr/bin/unshare",
    nsenter: "/usr/bin/nsenter",
    mount: "/usr/bin/mount",
    umount: "/usr/bin/umount",
    confine: "/dist/confine",
    ip: "/sbin/ip",
  },
};

const compose = (more: Partial<SandboxOrder> = {}, other: Partial<SandboxFacts> = {}) =>
  composeSandboxScript(order, { ...sandbox, ...more }, { ...facts, ...other });

test("a container enters its root as its user, with its capabilities and no others", () => {
  expect(compose()).toContain(
    "(PATH='/bin' LD_PRELOAD='/evil.so' TALLY_RUN='u/c/0' '/dist/confine' 'enter' " +
      "'-r/s/roots/1/root' '-d/srv' '-c2020' '-u7' '-g8' '-G9' '-n' '-i' '--' 'work' 'it'\\''s' ",
  );
});

test("a privileged container keeps all capabilities and has no filter", () => {
  const { capabilities: _, ...privileged } = sandbox;
  expect(composeSandboxScript(order, privileged, facts)).not.toMatch(/'-c/);
});

test("without root a container is the server's user, by a user namespace, without rights", () => {
  const rootless = { hostname: "/bin/hostname", uid: 5, gid: 6 };
  const script = compose({}, { tools: { ...facts.tools, rootless } });
  expect(script).toContain("'/bin/hostname' 'h'&&");
  expect(script).toContain(
    "'/usr/bin/unshare' '--user' '--keep-caps' '--map-user=5' '--map-group=6' '/dist/confine' " +
      "'enter' '-r/s/roots/1/root' '-d/srv' '-c2020' '-n' '-i' '--' ",
  );
  // unshare is a program of the host that loads libraries, before rights are given up.
  const [before = "", after = ""] = script.split("'/dist/confine'");
  expect(before).not.toContain("LD_PRELOAD");
  expect(before).toContain("TALLY_VALUE_0='/evil.so' ");
  expect(after).toContain(
    `/usr/bin/env -S '-u TALLY_VALUE_0 -- "LD_PRELOAD=\${TALLY_VALUE_0}"' 'work' 'it'\\''s'`,
  );
});

test("what others share is left to them when a run ends", () => {
  expect(compose()).toContain("kill -9 -1");
  expect(compose({ isAlone: false })).toContain("kill -9 -1");
  expect(compose({ shares: ["pid"] })).not.toContain("kill -9 -1");
  expect(compose({ shares: ["hostPid"] })).not.toContain("kill -9 -1");
  expect(compose({ isAlone: false })).not.toContain("'-i'");
  expect(compose({ shares: ["hostIpc"] })).not.toContain("'-i'");
});

test("names, addresses and mounts are in place before the run begins", () => {
  const script = compose(
    { sysctls: [["net.ipv4.ip_local_port_range", "1024 2048"]] },
    { addressFile: "/s/address", mountFile: "/s/m" },
  );
  const steps = [
    "echo 'h'>/proc/sys/kernel/hostname",
    "echo '1024 2048'>'/proc/sys/net/ipv4/ip_local_port_range'",
    "/sbin/ip -batch '/s/address'",
    "'/dist/confine' 'mount' '/s/roots/1/root' '/s/m'",
    "'/dist/confine' 'enter'",
  ].map((step) => script.indexOf(step));
  expect(steps).toEqual([...steps].sort((one, other) => one - other));
  expect(steps).not.toContain(-1);
});
