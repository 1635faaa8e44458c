import os from "node:os";
import { expect, test } from "vitest";
import { aServer } from "../../../test/builders/server.ts";
import type { Client } from "../../api/client.ts";
import type { Node } from "../../api/generated/core.ts";
import { leases, nodes } from "../../api/resources.ts";
import { silentLog } from "../../base/log.ts";
import { localClient } from "../../client/local.ts";
import type { HostFacts } from "./host-facts.ts";
import { type NodeOptions, openNode } from "./node.ts";
import { readHost } from "./read-host.ts";

const GIB = 1024 ** 3;

const FACTS: HostFacts = {
  cpus: 4,
  memoryBytes: 8 * GIB,
  availableMemoryBytes: 4 * GIB,
  storageBytes: 100 * GIB,
  availableStorageBytes: 50 * GIB,
  operatingSystem: "linux",
  architecture: "amd64",
  kernelVersion: "6.1.0",
  osImage: "Debian GNU/Linux 12 (bookworm)",
  machineId: "m",
  systemUuid: "s",
  bootId: "b",
};

function aHost() {
  const server = aServer();
  const client = localClient(server);
  let facts = FACTS;
  const options: NodeOptions = {
    client,
    clock: server.clock,
    log: silentLog,
    readHost: () => facts,
    identity: {
      name: "n",
      address: "127.0.0.1",
      maxPods: 10_000,
      kubeletVersion: "v1.36.4",
      runtimeVersion: "process://0.1.0",
    },
  };
  const change = (changed: Partial<HostFacts>) => {
    facts = { ...facts, ...changed };
  };
  return { server, client, options, change };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

const nodeNow = (client: Client): Promise<Node> => client.get(nodes, { name: "n" });

const summary = ({ status }: Node) =>
  status.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

test("a machine is registered with what it has, ready for pods", async () => {
  const { client, options } = aHost();
  const node = await openNode(options);
  const found = await nodeNow(client);
  expect(found).toEqual(node.current);
  expect(found).toMatchObject({
    metadata: {
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": "n",
        "kubernetes.io/os": "linux",
      },
    },
    status: {
      capacity: { cpu: "4", memory: "8Gi", pods: "10k", "ephemeral-storage": "100Gi" },
      allocatable: { cpu: "4", memory: "8092Mi", pods: "10k", "ephemeral-storage": "96636764160" },
      addresses: [
        { type: "InternalIP", address: "127.0.0.1" },
        { type: "Hostname", address: "n" },
      ],
      nodeInfo: { kubeletVersion: "v1.36.4", containerRuntimeVersion: "process://0.1.0" },
    },
  });
  expect(found.spec.taints).toBeUndefined();
  expect(summary(found)).toEqual([
    "MemoryPressure=False KubeletHasSufficientMemory",
    "DiskPressure=False KubeletHasNoDiskPressure",
    "PIDPressure=False KubeletHasSufficientPID",
    "Ready=True KubeletReady",
  ]);
  await node.close();
});

test("a node that was there keeps what people made of it", async () => {
  const { client, options } = aHost();
  await (await openNode(options)).close("shutting down");
  const taint = { key: "example.com/mine", effect: "NoSchedule" };
  const old = await nodeNow(client);
  const labels = { ...old.metadata.labels, mine: "yes", "kubernetes.io/os": "plan9" };
  await client.update(nodes, {
    ...old,
    metadata: { ...old.metadata, labels },
    spec: { unschedulable: true, taints: [taint] },
  });
  const condition = { type: "Example", status: "True" };
  const body = { status: { conditions: [condition] } };
  const request = { type: "strategic", subresource: "status", body } as const;
  await client.patch(nodes, { name: "n" }, request);
  const node = await openNode(options);
  const found = await nodeNow(client);
  expect(found.metadata.uid).toBe(old.metadata.uid);
  expect(found.metadata.labels).toMatchObject({ mine: "yes", "kubernetes.io/os": "linux" });
  expect(found.spec).toEqual({ unschedulable: true, taints: [taint] });
  expect(summary(found)).toEqual([
    "Example=True undefined",
    expect.any(String),
    expect.any(String),
    expect.any(String),
    "Ready=True KubeletReady",
  ]);
  await node.close();
});

test("a lease is renewed every ten seconds, and belongs to the node", async () => {
  const { client, server, options } = aHost();
  const node = await openNode(options);
  await settled();
  const place = { namespace: "kube-node-lease", name: "n" };
  const first = await client.get(leases, place);
  expect(first.spec).toMatchObject({
    holderIdentity: "n",
    leaseDurationSeconds: 40,
    renewTime: "2026-01-01T00:00:00.000000Z",
  });
  expect(first.metadata.ownerReferences).toMatchObject([{ uid: node.current.metadata.uid }]);
  server.clock.advance(10_000);
  await settled();
  expect((await client.get(leases, place)).spec.renewTime).toBe("2026-01-01T00:00:10.000000Z");
  await client.delete(leases, place);
  for (let beat = 0; beat < 2; beat++) {
    server.clock.advance(10_000);
    await settled();
  }
  expect((await client.get(leases, place)).spec.renewTime).toBe("2026-01-01T00:00:30.000000Z");
  await node.close();
});

test("the status is written when it changed, or after five minutes", async () => {
  const { client, server, options, change } = aHost();
  const node = await openNode(options);
  const revision = async () => (await nodeNow(client)).metadata.resourceVersion;
  const pass = async (beats: number) => {
    for (let beat = 0; beat < beats; beat++) {
      server.clock.advance(10_000);
      await settled();
    }
  };
  await settled();
  const first = await revision();
  await pass(29);
  expect(await revision()).toBe(first);
  await pass(1);
  const second = await revision();
  expect(second).not.toBe(first);
  change({ availableMemoryBytes: 50, availableStorageBytes: 50 });
  await pass(1);
  const found = await nodeNow(client);
  expect(found.metadata.resourceVersion).not.toBe(second);
  expect(summary(found)?.slice(0, 2)).toEqual([
    "MemoryPressure=True KubeletHasInsufficientMemory",
    "DiskPressure=True KubeletHasDiskPressure",
  ]);
  expect(found.status.conditions?.map(({ lastTransitionTime: since }) => since)).toEqual([
    "2026-01-01T00:05:10Z",
    "2026-01-01T00:05:10Z",
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z",
  ]);
  await node.close();
});

test("a node that is deleted while it lives is there again", async () => {
  const { client, server, options } = aHost();
  const node = await openNode(options);
  await settled();
  await client.delete(nodes, { name: "n" });
  server.clock.advance(10_000);
  await settled();
  expect(summary(await nodeNow(client))).toContain("Ready=True KubeletReady");
  await node.close();
});

test("a node that shuts down says so, and reports no more", async () => {
  const { client, server, options } = aHost();
  const node = await openNode(options);
  await node.close("shutting down");
  const found = await nodeNow(client);
  expect(summary(found)).toContain("Ready=False KubeletNotReady");
  server.clock.advance(600_000);
  await settled();
  expect(await nodeNow(client)).toEqual(found);
  expect(server.clock.untilNextMs()).toBeUndefined();
});

test("a server that does not answer is asked again with the next beat", async () => {
  const { client, server, options } = aHost();
  let isDown = false;
  const get: Client["get"] = (type, name) =>
    isDown ? Promise.reject(new Error("gone")) : client.get(type, name);
  const node = await openNode({ ...options, client: { ...client, get } });
  await settled();
  isDown = true;
  server.clock.advance(300_000);
  await settled();
  isDown = false;
  server.clock.advance(10_000);
  await settled();
  const ready = (await nodeNow(client)).status.conditions?.find(({ type }) => type === "Ready");
  expect(ready?.lastHeartbeatTime).toBe("2026-01-01T00:05:10Z");
  await node.close();
});

test("this machine tells what it has", () => {
  const facts = readHost(os.tmpdir());
  expect(facts.cpus).toBeGreaterThan(0);
  expect(facts.memoryBytes).toBeGreaterThan(GIB / 8);
  expect(facts.storageBytes).toBeGreaterThanOrEqual(facts.availableStorageBytes);
  expect(facts.kernelVersion).not.toBe("");
  expect(facts.osImage).not.toBe("");
});
