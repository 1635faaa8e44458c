import { afterEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { podBody, statefulSetBody } from "../../../test/builders/resources.ts";
import type { StatefulSet } from "../../api/generated/apps.ts";
import {
  controllerRevisions,
  events,
  persistentVolumeClaims,
  pods,
  statefulSets,
} from "../../api/resources.ts";
import { statefulSetController } from "./statefulset-controller.ts";

const PLACE = { namespace: "default", name: "web" };
let work: AtWork;

afterEach(() => work.stop());

function aSet(spec: object = {}): StatefulSet {
  const labels = { app: "web" };
  const containers = [{ name: "c", image: "busybox:1" }];
  return statefulSetBody(PLACE, {
    replicas: 2,
    serviceName: "svc",
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
    ...spec,
  });
}

/** Settles several times, because each write is a change that triggers another reconcile. */
async function settled(): Promise<void> {
  for (let looks = 0; looks < 6; looks++) await work.settle();
}

async function aSetAtWork(spec: object = {}): Promise<void> {
  work = await startController(statefulSetController, async (client) => {
    await client.create(statefulSets, aSet(spec));
  });
  await settled();
}

async function makeReady(name: string): Promise<void> {
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: null }];
  const body = { status: { phase: "Running", conditions } };
  const place = { namespace: "default", name };
  await work.client.patch(pods, place, { type: "merge", subresource: "status", body });
  await settled();
}

async function change(spec: object): Promise<void> {
  await work.client.patch(statefulSets, PLACE, { type: "merge", body: { spec } });
  await settled();
}

const image = (name: string) => ({
  template: { spec: { containers: [{ name: "c", image: name }] } },
});
const thePods = async () => (await work.client.list(pods)).items;
const names = async () => (await thePods()).map(({ metadata }) => metadata.name);
const revisions = async () => (await work.client.list(controllerRevisions)).items;
const status = async () => (await work.client.get(statefulSets, PLACE)).status;

test("each pod has its name, ordinal and subdomain", async () => {
  await aSetAtWork();
  await makeReady("web-0");
  const [, second] = await thePods();
  expect(second).toMatchObject({
    metadata: {
      generateName: "web-",
      labels: {
        app: "web",
        "statefulset.kubernetes.io/pod-name": "web-1",
        "apps.kubernetes.io/pod-index": "1",
        "controller-revision-hash": (await status()).updateRevision,
      },
      ownerReferences: [{ kind: "StatefulSet", name: "web", controller: true }],
    },
    spec: { hostname: "web-1", subdomain: "svc" },
  });
  expect(await status()).toMatchObject({ replicas: 2, readyReplicas: 1, availableReplicas: 1 });
});

test("reverting a template reuses its revision with a new number", async () => {
  await aSetAtWork({ replicas: 1 });
  const [first] = await revisions();
  await change(image("busybox:2"));
  await change(image("busybox:1"));
  const numbers = (await revisions()).map(({ metadata, revision }) => [metadata.name, revision]);
  expect(numbers).toHaveLength(2);
  expect(numbers).toContainEqual([first?.metadata.name, 3]);
  expect((await status()).updateRevision).toBe(first?.metadata.name);
});

test("a pod with matching name and labels is adopted, others are released", async () => {
  work = await startController(statefulSetController, async (client) => {
    await client.create(pods, podBody({ name: "web-0", labels: { app: "web" } }));
    await client.create(statefulSets, aSet({ replicas: 1 }));
  });
  await settled();
  const ownersOf = async () =>
    (await thePods()).map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
  expect(await ownersOf()).toEqual(["web"]);
  const body = { metadata: { labels: { app: "other" } } };
  const place = { namespace: "default", name: "web-0" };
  await work.client.patch(pods, place, { type: "merge", body });
  await settled();
  expect(await ownersOf()).toEqual([undefined]);
});

const CLAIMS = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
    },
  ],
};
const claimOwners = async () =>
  (await work.client.list(persistentVolumeClaims)).items.map(({ metadata }) => [
    metadata.name,
    ...(metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind}/${name}`),
  ]);

test("claims are owned according to the retention policy", async () => {
  const persistentVolumeClaimRetentionPolicy = { whenScaled: "Delete", whenDeleted: "Delete" };
  await aSetAtWork({ ...CLAIMS, persistentVolumeClaimRetentionPolicy });
  await makeReady("web-0");
  await makeReady("web-1");
  expect(await claimOwners()).toEqual([
    ["data-web-0", "StatefulSet/web"],
    ["data-web-1", "StatefulSet/web"],
  ]);
  await change({ replicas: 1 });
  expect(await claimOwners()).toEqual([
    ["data-web-0", "StatefulSet/web"],
    ["data-web-1", "Pod/web-1"],
  ]);
  const retain = { whenScaled: "Retain", whenDeleted: "Retain" };
  await change({ persistentVolumeClaimRetentionPolicy: retain });
  expect((await claimOwners())[0]).toEqual(["data-web-0"]);
});

const DELETE_BOTH = {
  ...CLAIMS,
  persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Delete" },
};

/** Replaces the owners of a claim, or its finalizers. */
async function patchClaim(name: string, metadata: object): Promise<void> {
  const body = { metadata };
  const place = { namespace: "default", name };
  await work.client.patch(persistentVolumeClaims, place, { type: "merge", body });
}

test("a claim gets its owner when its pod is created, not when the pod is ready", async () => {
  await aSetAtWork(DELETE_BOTH);
  expect(await claimOwners()).toEqual([["data-web-0", "StatefulSet/web"]]);
});

test("the controller flag of a claim's owner is restored at the next reconcile", async () => {
  await aSetAtWork({ ...DELETE_BOTH, replicas: 1 });
  await makeReady("web-0");
  const ownersOf = async () =>
    (await work.client.list(persistentVolumeClaims)).items[0]?.metadata.ownerReferences;
  const before = await ownersOf();
  expect(before).toMatchObject([{ kind: "StatefulSet", controller: true }]);
  await patchClaim("data-web-0", { ownerReferences: [{ ...before?.[0], controller: false }] });
  await change({ revisionHistoryLimit: 5 });
  expect(await ownersOf()).toEqual(before);
});

test("a claim with another controller is not changed, and an event is recorded", async () => {
  await aSetAtWork({ ...DELETE_BOTH, replicas: 1 });
  await makeReady("web-0");
  const [claim] = (await work.client.list(persistentVolumeClaims)).items;
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "map", uid: "1" };
  const own = (claim?.metadata.ownerReferences ?? []).map((each) => ({
    ...each,
    controller: false,
  }));
  await patchClaim("data-web-0", { ownerReferences: [...own, { ...owner, controller: true }] });
  await change({ revisionHistoryLimit: 5 });
  expect(await claimOwners()).toEqual([["data-web-0", "ConfigMap/map"]]);
  const seen = (await work.client.list(events)).items.map(({ reason }) => reason);
  expect(seen).toContain("ConflictingController");
});

test("a pod is created once the claim of its predecessor is gone", async () => {
  await aSetAtWork({ ...DELETE_BOTH, replicas: 1, podManagementPolicy: "Parallel" });
  await patchClaim("data-web-0", {
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web-0", uid: "earlier" }],
    finalizers: null,
  });
  await work.client.delete(
    pods,
    { namespace: "default", name: "web-0" },
    { gracePeriodSeconds: 0 },
  );
  await settled();
  expect(await names()).toEqual([]);
  const place = { namespace: "default", name: "data-web-0" };
  await work.client.delete(persistentVolumeClaims, place);
  for (let tries = 0; tries < 8; tries++) {
    work.server.clock.advance(30_000);
    await settled();
  }
  expect(await names()).toEqual(["web-0"]);
  expect(await claimOwners()).toEqual([["data-web-0", "StatefulSet/web"]]);
});

test("a deleted claim of a pending pod is recreated", async () => {
  await aSetAtWork(CLAIMS);
  const place = { namespace: "default", name: "data-web-0" };
  const body = { metadata: { finalizers: null } };
  await work.client.patch(persistentVolumeClaims, place, { type: "merge", body });
  await work.client.delete(persistentVolumeClaims, place);
  const label = { metadata: { labels: { touched: "yes" } } };
  await work.client.patch(
    pods,
    { namespace: "default", name: "web-0" },
    { type: "merge", body: label },
  );
  await settled();
  expect(await claimOwners()).toEqual([["data-web-0"]]);
});

test("currentRevision is updated when all pods have the new template", async () => {
  await aSetAtWork({ replicas: 1 });
  await makeReady("web-0");
  const before = await status();
  expect(before.currentRevision).toBe(before.updateRevision);
  await change(image("busybox:2"));
  expect((await status()).currentRevision).toBe(before.currentRevision);
  expect((await status()).updateRevision).not.toBe(before.currentRevision);
  expect(await names()).toEqual(["web-0"]);
  await makeReady("web-0");
  const after = await status();
  expect(after.currentRevision).toBe(after.updateRevision);
  expect(after).toMatchObject({ currentReplicas: 1, updatedReplicas: 1 });
});
