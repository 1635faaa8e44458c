/** Differences between a node of Tally and one of Kubernetes; see docs/compatibility.md. */
import { connect, createServer, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { composeConditions } from "../../src/agent/node/conditions.ts";
import type { HostFacts } from "../../src/agent/node/host-facts.ts";
import type { Client } from "../../src/api/client.ts";
import type { Node, Pod } from "../../src/api/generated/core.ts";
import { nodes, pods } from "../../src/api/resources.ts";
import { schedulerController } from "../../src/controllers/scheduler/scheduler.ts";
import { Forwarder } from "../../src/proxy/forwarder.ts";
import type { Frontend } from "../../src/proxy/plan.ts";
import { AgentAtWork } from "../builders/agent.ts";
import { startController } from "../builders/controller.ts";
import { podBody } from "../builders/resources.ts";

const GIB = 1024 ** 3;

test.each([
  [1000 * GIB, GIB, "False"],
  [1000 * GIB, GIB - 1, "True"],
  [2 * GIB, GIB, "False"],
])("a node with a disk of %d bytes and %d free has DiskPressure %s", (_, free, status) => {
  const facts = { availableMemoryBytes: GIB, availableStorageBytes: free };
  const conditions = composeConditions([], facts as HostFacts, "ready", 0);
  expect(conditions.find(({ type }) => type === "DiskPressure")?.status).toBe(status);
});

test("a pod that ends within 10 ms is never written as Running", async () => {
  const world = await AgentAtWork.start();
  const phases: (string | undefined)[] = [];
  const { updateStatus } = world.client;
  world.client.updateStatus = async (type, object) => {
    phases.push((object as unknown as Pod).status.phase);
    return updateStatus(type, object);
  };
  const uid = await world.create("short");
  await world.pass(5);
  await world.end(`${uid}/c/0`);
  expect(phases).toEqual(["Succeeded"]);
});

test("the scheduler ignores affinity between pods and topology spread", async () => {
  const capacity = { cpu: "2", memory: "4Gi", pods: "10" };
  const labels = { "kubernetes.io/hostname": "n" };
  const metadata = { name: "n", labels };
  const node = { apiVersion: "v1", kind: "Node", metadata, spec: {}, status: { capacity } };
  const prepare = async (client: Client) => {
    const made = await client.create(nodes, node as unknown as Node);
    // Without the taint that every new node has until it reports.
    await client.update(nodes, { ...made, spec: {} });
  };
  const { client, settle, stop } = await startController(schedulerController, prepare);
  const labelSelector = { matchLabels: { app: "web" } };
  const term = { labelSelector, topologyKey: "kubernetes.io/hostname" };
  const apart = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const spread = { ...term, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" };
  const containers = [{ name: "c", image: "i" }];
  for (const name of ["a", "b", "c"]) {
    const spec = { containers, affinity: apart, topologySpreadConstraints: [spread] };
    await client.create(pods, podBody({ name, labels: { app: "web" } }, spec));
  }
  await settle();
  const { items } = await client.list(pods);
  expect(items.map(({ spec }) => spec.nodeName)).toEqual(["n", "n", "n"]);
  stop();
});

test("a pod behind a Service sees connections come from this machine", async () => {
  const server = createServer((socket) => socket.end(`${socket.remoteAddress}`));
  const port = await listen(server);
  const forwarder = new Forwarder({ mayConnect: () => true, onProblem: () => {} });
  onTestFinished(() => forwarder.close());
  const address = "127.0.0.2";
  const frontend = { protocol: "TCP", address, port, name: "default/web", isOpen: false };
  const backends = [{ address: "127.0.0.1", port }];
  await forwarder.apply([{ ...frontend, backends } as Frontend]);
  expect(await read({ host: address, port, localAddress: "127.0.0.9" })).toBe("127.0.0.1");
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as { readonly port: number }).port;
}

function read(options: { host: string; port: number; localAddress: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(options);
    let heard = "";
    socket.on("data", (piece) => {
      heard += piece;
    });
    socket.on("end", () => resolve(heard));
    socket.on("error", reject);
  });
}
