import { describe, expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import { composeResolvConf, parseResolvConf, type ResolverSurroundings } from "./resolv-conf.ts";

type Fields = { readonly [field: string]: unknown };

const AROUND: ResolverSurroundings = {
  clusterDns: "10.214.0.10",
  host: { nameservers: ["127.0.0.53", "192.0.2.53"], searches: ["corp"], options: ["edns0"] },
  hasOwnNetwork: true,
};

function textOf(spec: Fields, around: Partial<ResolverSurroundings> = {}): string {
  const pod = storedPod({ metadata: { namespace: "ns" }, spec });
  return composeResolvConf(pod, { ...AROUND, ...around });
}

const CLUSTER =
  "search ns.svc.cluster.local svc.cluster.local cluster.local corp\n" +
  "nameserver 10.214.0.10\noptions ndots:5\n";
const REACHABLE = "search corp\nnameserver 10.214.0.10\nnameserver 192.0.2.53\noptions edns0\n";
const HOST = "search corp\nnameserver 127.0.0.53\nnameserver 192.0.2.53\noptions edns0\n";

describe("the policy", () => {
  test.each<[string, Fields, Partial<ResolverSurroundings>, string]>([
    ["ClusterFirst asks the cluster", { dnsPolicy: "ClusterFirst" }, {}, CLUSTER],
    ["that is not given is ClusterFirst", {}, {}, CLUSTER],
    ["Default has what the node has, as far as it is reached", DEFAULT(), {}, REACHABLE],
    ["Default on the host's network is the node's own", DEFAULT(), { hasOwnNetwork: false }, HOST],
    ["ClusterFirst on the node's network is Default", onHost("ClusterFirst"), SHARED(), HOST],
    ["ClusterFirstWithHostNet is not", onHost("ClusterFirstWithHostNet"), SHARED(), CLUSTER],
    ["None has nothing", { dnsPolicy: "None" }, {}, ""],
  ])("%s", (_what, spec, around, text) => expect(textOf(spec, around)).toBe(text));

  test("ClusterFirst without a name server of the cluster is Default", () => {
    const { clusterDns: _none, ...around } = AROUND;
    const pod = storedPod({ metadata: { namespace: "ns" } });
    expect(composeResolvConf(pod, around)).toBe(HOST);
  });
});

function DEFAULT() {
  return { dnsPolicy: "Default" };
}

function SHARED() {
  return { hasOwnNetwork: false };
}

function onHost(dnsPolicy: string) {
  return { dnsPolicy, hostNetwork: true };
}

describe("what a pod asks for", () => {
  test("is added, and an option replaces that of its name", () => {
    const dnsConfig = {
      nameservers: ["192.0.2.1", "10.214.0.10"],
      searches: ["more", "corp"],
      options: [{ name: "ndots", value: "2" }, { name: "rotate" }],
    };
    expect(textOf({ dnsConfig })).toBe(
      "search ns.svc.cluster.local svc.cluster.local cluster.local corp more\n" +
        "nameserver 10.214.0.10\nnameserver 192.0.2.1\noptions ndots:2 rotate\n",
    );
  });

  test("is all there is under None", () => {
    const dnsConfig = { nameservers: ["192.0.2.1"], searches: ["a"] };
    expect(textOf({ dnsPolicy: "None", dnsConfig })).toBe("search a\nnameserver 192.0.2.1\n");
  });

  test("is cut where resolvers have enough", () => {
    const nameservers = ["1.1.1.1", "2.2.2.2", "3.3.3.3"];
    const searches = Array.from({ length: 40 }, (_, at) => `domain-${at}`);
    const lines = textOf({ dnsConfig: { nameservers, searches } }).split("\n");
    expect(lines.filter((line) => line.startsWith("nameserver"))).toHaveLength(3);
    expect(lines[0]?.split(" ")).toHaveLength(33);
    const long = Array.from({ length: 20 }, (_, at) => `${"x".repeat(200)}-${at}`);
    const [search = ""] = textOf({ dnsConfig: { searches: long } }).split("\n");
    expect(search.length).toBeLessThanOrEqual(2048 + "search ".length);
  });
});

test("a file is read as resolvers read it", () => {
  const text =
    "# c\nnameserver 1.1.1.1\nsearch a. b\nsearch c d.\noptions x y:1 ; z\nnameserver ::1";
  expect(parseResolvConf(text)).toEqual({
    nameservers: ["1.1.1.1", "::1"],
    searches: ["c", "d"],
    options: ["x", "y:1"],
  });
});
