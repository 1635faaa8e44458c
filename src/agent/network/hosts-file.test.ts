import { expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import { composeHosts, type HostsSurroundings } from "./hosts-file.ts";

type Fields = { readonly [field: string]: unknown };

const AROUND: HostsSurroundings = {
  podIp: "10.1.2.3",
  nodeName: "node",
  hostsOfNode: "127.0.0.1\tlocalhost node\n",
};

const LOCAL = [
  "# Kubernetes-managed hosts file.",
  "127.0.0.1\tlocalhost",
  "::1\tlocalhost ip6-localhost ip6-loopback",
  "fe00::0\tip6-localnet",
  "fe00::0\tip6-mcastprefix",
  "fe00::1\tip6-allnodes",
  "fe00::2\tip6-allrouters",
];

function linesOf(spec: Fields, around: Partial<HostsSurroundings> = {}): readonly string[] {
  const pod = storedPod({ metadata: { name: "p" }, spec });
  return composeHosts(pod, { ...AROUND, ...around }).split("\n");
}

test("a pod knows itself by its name", () => {
  expect(linesOf({})).toEqual([...LOCAL, "10.1.2.3\tp", ""]);
});

test("a pod of a domain knows its whole name first", () => {
  const whole = "h.svc.default.svc.cluster.local";
  expect(linesOf({ hostname: "h", subdomain: "svc" })).toEqual([
    ...LOCAL,
    `10.1.2.3\t${whole}\th`,
    "",
  ]);
});

test("a pod that overrides its host name is in no domain", () => {
  expect(linesOf({ hostnameOverride: "own.example", subdomain: "svc" })).toContain(
    "10.1.2.3\town.example",
  );
});

test("aliases and peers come last, each under a line that says what they are", () => {
  const hostAliases = [{ ip: "192.0.2.1", hostnames: ["a", "b"] }];
  const peers = [{ address: "10.1.2.4", names: ["q.svc", "q"] }];
  expect(linesOf({ hostAliases }, { peers }).slice(LOCAL.length)).toEqual([
    "10.1.2.3\tp",
    "",
    "# Services and peers.",
    "10.1.2.4\tq.svc\tq",
    "",
    "# Entries added by HostAliases.",
    "192.0.2.1\ta\tb",
    "",
  ]);
});

test("a pod on the network of its node has the node's own", () => {
  const hostAliases = [{ ip: "192.0.2.1", hostnames: ["a"] }];
  expect(linesOf({ hostNetwork: true, hostAliases })).toEqual([
    "# Kubernetes-managed hosts file (host network).",
    "127.0.0.1\tlocalhost node",
    "",
    "# Entries added by HostAliases.",
    "192.0.2.1\ta",
    "",
  ]);
});
