import { expect, test } from "vitest";
import { startController } from "../../../test/builders/controller.ts";
import { events } from "../../api/resources.ts";
import { unattendedWorkloads } from "./unattended-workloads.ts";

const deployments = {
  group: "apps",
  version: "v1",
  resource: "deployments",
  kind: "Deployment",
  namespaced: true,
};

const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "x" } },
    template: {
      metadata: { labels: { app: "x" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
  },
});

test("a new workload without a controller gets one event", async () => {
  const { client, settle } = await startController(unattendedWorkloads, async (before) => {
    await before.create(deployments, deployment("old"));
  });
  await client.create(deployments, deployment("new"));
  await client.patch(
    deployments,
    { namespace: "default", name: "new" },
    { type: "merge", body: { metadata: { labels: { a: "b" } } } },
  );
  await settle();
  const { items } = await client.list(events);
  expect(
    items.map(({ involvedObject, reason, type }) => [involvedObject.name, type, reason]),
  ).toEqual([["new", "Warning", "NoController"]]);
  expect(items[0]?.message).toBe("no controller for Deployments runs here: no pods will be made");
});
