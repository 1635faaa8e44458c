import { expect, test } from "vitest";
import { findTools } from "./tools.ts";

const ROOT = 0;
const all = (name: string) => `/usr/bin/${name}`;

test("root with all programs makes sandboxes with networks", () => {
  const { tools, can } = findTools(ROOT, all, undefined, () => "/dist/confine");
  expect(tools).toMatchObject({ unshare: "/usr/bin/unshare", ip: "/usr/bin/ip" });
  expect(can).toEqual({ hasNetwork: true, hasUsers: true });
});

test("without the helper program there are no sandboxes, and the reason says what to do", () => {
  const { tools, can } = findTools(ROOT, all, undefined, () => undefined);
  expect(tools).toBeUndefined();
  expect(can.problem).toContain("build Tally with a C compiler");
});

test("without ip sandboxes are on the network of the host", () => {
  const find = (name: string) => (name === "ip" ? undefined : all(name));
  const { tools, can } = findTools(ROOT, find, undefined, () => "/dist/confine");
  expect(tools).toBeDefined();
  expect(can.hasNetwork).toBe(false);
});

test.each<[string, readonly string[], string | undefined]>([
  ["iptables where it is there", [], "iptables"],
  ["nft where iptables is not", ["iptables-restore"], "nft"],
  ["nothing where neither is, which is said", ["iptables-save", "nft"], undefined],
])("addresses of pods are translated by %s", (_, missing, kind) => {
  const find = (name: string) => (missing.includes(name) ? undefined : all(name));
  const { tools, can } = findTools(ROOT, find, undefined, () => "/dist/confine");
  expect(tools?.translator?.kind).toBe(kind);
  expect(can.noWayOut === undefined).toBe(kind !== undefined);
});

test.each([
  [
    "a program is missing",
    ROOT,
    (name: string) => (name === "nsenter" ? undefined : all(name)),
    "nsenter",
  ],
  ["user namespaces are root's", 1000, all, "the server is not root, and they are root's"],
])("where %s there are none, and it is said why", (_, uid, find, reason) => {
  const { tools, can } = findTools(uid, find, () => "they are root's");
  expect(tools).toBeUndefined();
  expect(can.problem).toContain(reason);
});

test("who is not root has them with user namespaces, on the network of the host", () => {
  const { tools, can } = findTools(
    1000,
    all,
    () => undefined,
    () => "/dist/confine",
  );
  expect(tools?.rootless).toMatchObject({ hostname: "/usr/bin/hostname", uid: 1000 });
  expect(can).toEqual({ hasNetwork: false, hasUsers: false });
});
