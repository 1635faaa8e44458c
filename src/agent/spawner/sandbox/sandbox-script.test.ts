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
  tools: {
    unshare: "/usr/bin/unshare",
    nsenter: "/usr/bin/nsenter",
    setpriv: "/usr/bin/setpriv",
    mount: "/usr/bin/mount",
    umount: "/usr/bin/umount",
    ip: "/sbin/ip",
  },
  folders: [],
  files: [],
};

const compose = (more: Partial<SandboxOrder> = {}, other: Partial<SandboxFacts> = {}) =>
  composeSandboxScript(order, { ...sandbox, ...more }, { ...facts, ...other });

test("a run enters its root as its user, with its capabilities and no others", () => {
  expect(compose()).toContain(
    "'/usr/bin/unshare' '--ipc' '--root=/s/roots/1/root' '--wd=/' '/usr/bin/setpriv' " +
      "'--bounding-set=-all,+kill,+net_raw' '--reuid=7' '--regid=8' '--groups=9' " +
      "'--no-new-privs' '/usr/bin/env' '--chdir=/srv' ",
  );
});

test("a run is confined before it enters its root, unless it is privileged", () => {
  const tools = { ...facts.tools, confine: "/dist/confine" };
  expect(compose({}, { tools })).toContain(" '/dist/confine' '/usr/bin/unshare' '--ipc' '--root=");
  const { capabilities: _, ...privileged } = sandbox;
  expect(composeSandboxScript(order, privileged, { ...facts, tools })).not.toContain("confine");
});

test("without root it is the server's user, by a user namespace, with no rights in it", () => {
  const rootless = { hostname: "/bin/hostname", uid: 5, gid: 6 };
  const script = compose({}, { tools: { ...facts.tools, rootless } });
  expect(script).toContain("'/bin/hostname' 'h'&&");
  expect(script).toContain(
    "'--user' '--keep-caps' '--map-user=5' '--map-group=6' '--root=/s/roots/1/root' '--wd=/' " +
      "'/usr/bin/setpriv' '--bounding-set=-all,+kill,+net_raw' '--inh-caps=-all' " +
      "'--ambient-caps=-all' '--no-new-privs'",
  );
});

test("what changes how programs are loaded reaches the command alone", () => {
  const script = compose();
  const [before = "", after = ""] = script.split("'/usr/bin/setpriv'");
  expect(before).toContain("PATH='/bin' ");
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
  expect(compose({ isAlone: false })).not.toContain("--ipc");
  expect(compose({ shares: ["hostIpc"] })).not.toContain("--ipc");
});

test("names, addresses and mounts are in place before the run begins", () => {
  const script = compose(
    { sysctls: [["net.ipv4.ip_local_port_range", "1024 2048"]] },
    { addressFile: "/s/address", mountFile: "/s/m", folders: ["/s/r/d"], files: ["/s/r/e/f"] },
  );
  const steps = [
    "echo 'h'>/proc/sys/kernel/hostname",
    "echo '1024 2048'>'/proc/sys/net/ipv4/ip_local_port_range'",
    "/sbin/ip -batch '/s/address'",
    "mkdir -p '/s/r/d' '/s/r/e'",
    ":>>'/s/r/e/f'",
    "/usr/bin/mount -a -T '/s/m'",
    "/usr/bin/unshare",
  ].map((step) => script.indexOf(step));
  expect(steps).toEqual([...steps].sort((one, other) => one - other));
  expect(steps).not.toContain(-1);
});

test("root without groups is not looked up", () => {
  const script = compose({ user: { uid: 0, gid: 0, groups: [] } });
  expect(script).toContain("'--clear-groups'");
  expect(script).not.toContain("--reuid");
});
