import { afterEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { podBody } from "../../../test/builders/resources.ts";
import type { Node, Toleration } from "../../api/generated/core.ts";
import { nodes, pods } from "../../api/resources.ts";
import { taintEviction } from "./taint-eviction.ts";

let work: AtWork;

afterEach(() => work.stop());

const place = (name: string) => ({ namespace: "default", name });
const LOST = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };
const MINE = { key: "mine", effect: "NoExecute", value: "v" };

async function aNodeWith(tolerations: { readonly [pod: string]: readonly Toleration[] }) {
  work = await startController(taintEviction, async (client) => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: {}, status: {} };
    await client.create(nodes, node as unknown as Node);
    for (const [name, given] of Object.entries(tolerations)) {
      await client.create(pods, podBody({ name }, { tolerations: given }));
      await client.bind(place(name), "n");
      const body = { status: { phase: "Running" } };
      await client.patch(pods, place(name), { type: "merge", subresource: "status", body });
    }
  });
}

async function taint(...taints: readonly object[]): Promise<void> {
  await work.client.patch(nodes, { name: "n" }, { type: "merge", body: { spec: { taints } } });
  await work.settle();
}

async function going(): Promise<(string | undefined)[]> {
  const { items } = await work.client.list(pods);
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map(({ metadata }) => metadata.name);
}

test("a pod that does not tolerate a taint is evicted at once, as disrupted", async () => {
  const tolerant = { key: "mine", operator: "Exists" };
  await aNodeWith({ plain: [], tolerant: [tolerant] });
  await taint(MINE);
  expect(await going()).toEqual(["plain"]);
  const { status } = await work.client.get(pods, place("plain"));
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: "DisruptionTarget", reason: "DeletionByTaintManager" }),
  );
});

test("a pod that tolerates a lost node for five minutes stays five minutes", async () => {
  await aNodeWith({ p: [] });
  await taint(LOST);
  work.server.clock.advance(299_000);
  await work.settle();
  expect(await going()).toEqual([]);
  work.server.clock.advance(1000);
  await work.settle();
  expect(await going()).toEqual(["p"]);
});

test("a node that comes back keeps its pods", async () => {
  await aNodeWith({ p: [] });
  await taint(LOST);
  work.server.clock.advance(200_000);
  await taint();
  work.server.clock.advance(200_000);
  await work.settle();
  expect(await going()).toEqual([]);
  await taint(LOST);
  work.server.clock.advance(200_000);
  await work.settle();
  expect(await going()).toEqual([]);
});

test("taints with other effects evict no pods", async () => {
  await aNodeWith({ p: [] });
  await taint({ key: "mine", effect: "NoSchedule" });
  expect(await going()).toEqual([]);
});
