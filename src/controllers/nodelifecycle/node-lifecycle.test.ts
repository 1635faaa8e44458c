import { afterEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { podBody } from "../../../test/builders/resources.ts";
import type { Lease } from "../../api/generated/coordination.ts";
import type { Node } from "../../api/generated/core.ts";
import { leases, nodes, pods } from "../../api/resources.ts";
import { formatMicroTime, formatTime } from "../../api/time.ts";
import { nodeLifecycle } from "./node-lifecycle.ts";

let work: AtWork;

afterEach(() => work.stop());

async function settled(): Promise<void> {
  for (let looks = 0; looks < 4; looks++) await work.settle();
}

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5000) {
    work.server.clock.advance(Math.min(left, 5000));
    await settled();
  }
}

async function aNode(ready = "True"): Promise<void> {
  work = await startController(nodeLifecycle(), async (client, clock) => {
    const now = formatTime(clock.nowMs());
    const condition = { type: "Ready", status: ready, lastHeartbeatTime: now };
    await client.create(nodes, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n" },
      spec: {},
      status: { conditions: [condition] },
    } as unknown as Node);
  });
  await settled();
}

const node = () => work.client.get(nodes, { name: "n" });
const taints = async () => (await node()).spec.taints?.map(({ key, effect }) => `${key}:${effect}`);
const ready = async () => (await node()).status.conditions?.find(({ type }) => type === "Ready");

const LOST = [
  "node.kubernetes.io/unreachable:NoSchedule",
  "node.kubernetes.io/unreachable:NoExecute",
];

test("a ready node loses the not-ready taint", async () => {
  await aNode();
  expect(await taints()).toBeUndefined();
});

test("a node without heartbeats becomes Unknown and tainted, and its pods not ready", async () => {
  await aNode();
  await work.client.create(pods, podBody({ name: "p" }));
  await work.client.bind({ namespace: "default", name: "p" }, "n");
  const conditions = [{ type: "Ready", status: "True" }];
  const place = { namespace: "default", name: "p" };
  const body = { status: { phase: "Running", conditions } };
  await work.client.patch(pods, place, { type: "merge", subresource: "status", body });
  await pass(50_000);
  expect((await ready())?.status).toBe("True");
  await pass(5000);
  expect(await ready()).toMatchObject({ status: "Unknown", reason: "NodeStatusUnknown" });
  expect(await taints()).toEqual(LOST);
  const pod = await work.client.get(pods, place);
  expect(pod.status.conditions?.find(({ type }) => type === "Ready")?.status).toBe("False");
});

test("a renewed Lease counts as a heartbeat, and a node that reports again recovers", async () => {
  await aNode();
  const renew = async () => {
    const renewTime = formatMicroTime(work.server.clock.nowMs());
    const metadata = { name: "n", namespace: "kube-node-lease" };
    const lease: Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata,
      spec: { renewTime },
    };
    const known = await work.client.get(leases, metadata).catch(() => undefined);
    if (known) await work.client.update(leases, { ...known, spec: { renewTime } });
    else await work.client.create(leases, lease);
  };
  for (let n = 0; n < 4; n++) {
    await renew();
    await pass(30_000);
  }
  expect((await ready())?.status).toBe("True");
  await pass(60_000);
  expect(await taints()).toEqual(LOST);
  const now = formatTime(work.server.clock.nowMs());
  const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: now }];
  const present = await node();
  await work.client.updateStatus(nodes, { ...present, status: { ...present.status, conditions } });
  await settled();
  expect(await taints()).toBeUndefined();
});

test("pressure and cordon taints are added and removed; other taints are kept", async () => {
  await aNode();
  const own = [{ key: "mine", effect: "NoSchedule" }];
  const spec = { taints: own, unschedulable: true };
  await work.client.patch(nodes, { name: "n" }, { type: "merge", body: { spec } });
  await settled();
  expect(await taints()).toEqual([
    "mine:NoSchedule",
    "node.kubernetes.io/unschedulable:NoSchedule",
  ]);
  const body = { spec: { unschedulable: null } };
  await work.client.patch(nodes, { name: "n" }, { type: "merge", body });
  await settled();
  expect(await taints()).toEqual(["mine:NoSchedule"]);
});
