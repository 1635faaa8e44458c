import { afterEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { podBody } from "../../../test/builders/resources.ts";
import type { Node, Pod, Service } from "../../api/generated/core.ts";
import type { Endpoint } from "../../api/generated/discovery.ts";
import { endpointSlices, endpoints, nodes, pods, services } from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import { endpointsController } from "./endpoints-controller.ts";
import { LAST_CHANGE } from "./trigger-times.ts";

const PLACE = { namespace: "default", name: "svc" };
let work: AtWork;

afterEach(() => work.stop());

async function aService(spec: object = {}): Promise<void> {
  work = await startController(endpointsController, async (client) => {
    await client.create(nodes, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n", labels: { "topology.kubernetes.io/zone": "z" } },
      spec: {},
      status: {},
    } as unknown as Node);
  });
  await work.client.create(services, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...PLACE, labels: { team: "t" } },
    spec: { selector: { app: "x" }, ports: [{ name: "http", port: 80 }], ...spec },
    status: {},
  } as unknown as Service);
  await work.settle();
}

async function aPod(name: string, { ip = "10.1.0.1", spec = {}, node = "n" } = {}): Promise<Pod> {
  const { client } = work;
  await client.create(pods, podBody({ name, labels: { app: "x" } }, spec));
  await client.bind({ namespace: "default", name }, node);
  const made = await client.patch(
    pods,
    { namespace: "default", name },
    {
      type: "merge",
      subresource: "status",
      body: {
        status: {
          phase: "Running",
          podIP: ip,
          podIPs: [{ ip }],
          conditions: [
            { type: "Ready", status: "True", lastTransitionTime: "2030-01-01T00:00:00Z" },
          ],
        },
      },
    },
  );
  await work.settle();
  return made;
}

const slices = async () => (await work.client.list(endpointSlices)).items.filter(isOfService);
const isOfService = ({ metadata }: { metadata: { generateName?: string } }) =>
  metadata.generateName === "svc-";
const members = async (): Promise<readonly Endpoint[]> =>
  (await slices()).flatMap((slice) => slice.endpoints ?? []);

test("a Service without pods has an empty slice, which is deleted with it", async () => {
  await aService();
  const [slice] = await slices();
  expect(slice).toMatchObject({
    endpoints: null,
    ports: null,
    metadata: {
      labels: { team: "t", "kubernetes.io/service-name": "svc" },
      ownerReferences: [{ kind: "Service", name: "svc", controller: true }],
    },
  });
  await work.client.delete(services, PLACE);
  await work.settle();
  expect(await findObject(work.client, endpoints, PLACE)).toBeUndefined();
});

test("endpoints follow a pod that is created, relabelled and finished", async () => {
  await aService();
  await aPod("p");
  expect(await members()).toMatchObject([
    { addresses: ["10.1.0.1"], nodeName: "n", zone: "z", targetRef: { name: "p" } },
  ]);
  const place = { namespace: "default", name: "p" };
  const label = (app: string) => ({ type: "merge", body: { metadata: { labels: { app } } } });
  await work.client.patch(pods, place, { ...label("y"), type: "merge" });
  await work.settle();
  expect(await members()).toEqual([]);
  await work.client.patch(pods, place, { ...label("x"), type: "merge" });
  await work.settle();
  expect(await members()).toHaveLength(1);
  const over = { status: { phase: "Succeeded" } };
  await work.client.patch(pods, place, { type: "merge", subresource: "status", body: over });
  await work.settle();
  expect(await members()).toEqual([]);
  expect((await work.client.get(endpoints, PLACE)).subsets).toBeUndefined();
});

test("a pod on a missing node is omitted, unless publishNotReadyAddresses is set", async () => {
  await aService();
  await aPod("p", { node: "gone" });
  expect(await members()).toEqual([]);
  const publish = { spec: { publishNotReadyAddresses: true } };
  await work.client.patch(services, PLACE, { type: "merge", body: publish });
  await work.settle();
  expect(await members()).toHaveLength(1);
});

test("a named port resolves to the container or sidecar that has it", async () => {
  await aService({ ports: [{ port: 80, targetPort: "web" }] });
  const ports = [{ name: "web", containerPort: 9090 }];
  const sidecar = { name: "s", image: "i", restartPolicy: "Always", ports };
  await aPod("p", { spec: { initContainers: [sidecar] } });
  await aPod("q", { ip: "10.1.0.2" });
  const found = (await slices()).map((slice) => [slice.ports, slice.endpoints?.length]);
  expect(found).toEqual(
    expect.arrayContaining([
      [[{ name: "", port: 9090, protocol: "TCP" }], 1],
      [null, 1],
    ]),
  );
  expect((await work.client.get(endpoints, PLACE)).subsets).toHaveLength(1);
});

test("a deleted or edited slice is restored", async () => {
  await aService();
  await aPod("p");
  const [slice] = await slices();
  const place = { namespace: "default", name: slice?.metadata.name ?? "" };
  await work.client.delete(endpointSlices, place);
  await work.settle();
  expect(await members()).toHaveLength(1);
  const [next] = await slices();
  const name = next?.metadata.name ?? "";
  await work.client.patch(
    endpointSlices,
    { namespace: "default", name },
    {
      type: "merge",
      body: { endpoints: [] },
    },
  );
  await work.settle();
  expect(await members()).toHaveLength(1);
});

test("a slice whose label a client removed is replaced", async () => {
  await aService();
  await aPod("p");
  const [slice] = await slices();
  const place = { namespace: "default", name: slice?.metadata.name ?? "" };
  const labels = { "kubernetes.io/service-name": null };
  await work.client.patch(endpointSlices, place, { type: "merge", body: { metadata: { labels } } });
  await work.settle();
  const labelled = (await slices()).filter(
    ({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "svc",
  );
  expect(labelled.flatMap((each) => each.endpoints ?? [])).toHaveLength(1);
});

test("the annotation contains the time of the triggering change", async () => {
  await aService();
  await aPod("p");
  const annotationOf = ({ metadata }: { metadata: { annotations?: { [key: string]: string } } }) =>
    metadata.annotations?.[LAST_CHANGE];
  expect((await slices()).map(annotationOf)).toEqual(["2030-01-01T00:00:00Z"]);
  expect(annotationOf(await work.client.get(endpoints, PLACE))).toBe("2030-01-01T00:00:00Z");
});

test("Services without a selector get no endpoints", async () => {
  await aService({ selector: undefined });
  expect(await slices()).toEqual([]);
  expect(await findObject(work.client, endpoints, PLACE)).toBeUndefined();
});

test("a pod with a loopback address is omitted; the others are listed", async () => {
  await aService();
  await aPod("a", { ip: "127.0.0.1" });
  await aPod("b", { ip: "127.64.0.7" });
  const { items } = await work.client.list(endpointSlices, { namespace: "default" });
  const all = items.flatMap(({ endpoints: each }) => each ?? []);
  expect(all.map(({ addresses }) => addresses)).toEqual([["127.64.0.7"]]);
  const { subsets } = await work.client.get(endpoints, PLACE);
  expect(subsets?.flatMap(({ addresses }) => addresses?.map(({ ip }) => ip))).toEqual([
    "127.64.0.7",
  ]);
});
