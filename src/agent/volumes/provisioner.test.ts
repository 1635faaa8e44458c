import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import type { Client } from "../../api/client.ts";
import type { Node, PersistentVolumeClaim } from "../../api/generated/core.ts";
import type { Json } from "../../api/object.ts";
import {
  events,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
} from "../../api/resources.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import { findObject } from "../../client/find.ts";
import { localClient } from "../../client/local.ts";
import type { RunningController } from "../../controllers/runtime/controller.ts";
import { schedulerController } from "../../controllers/scheduler/scheduler.ts";
import { storageController } from "../../controllers/storage/storage-controller.ts";
import { startProvisioner } from "./provisioner.ts";

const CLAIM = { namespace: "default", name: "data" };
const POD = { namespace: "default", name: "p" };
let directory: string;
let server: TestServer;
let client: Client;
let running: RunningController[];

beforeEach(async () => {
  directory = path.join(mkdtempSync(path.join(os.tmpdir(), "tally-claims-")), "claims");
  server = aServer();
  client = localClient(server);
  const { clock, random } = server;
  const context = { client, clock, random, log: silentLog, metrics: new Metrics() };
  // A new node is tainted until somebody has seen that it is well.
  await client.update(nodes, { ...(await client.create(nodes, NODE)), spec: {} });
  running = [
    await startProvisioner({ ...context, nodeName: "n", directory }),
    await storageController.start(context),
    await schedulerController.start(context),
  ];
});

afterEach(() => {
  for (const each of running) each.stop();
  rmSync(path.dirname(directory), { recursive: true, force: true });
});

const NODE = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels: { "kubernetes.io/hostname": "n" } },
  spec: {},
  status: { allocatable: { cpu: "2", memory: "1Gi", pods: "10" } },
} as unknown as Node;

async function aClaim(spec: { readonly [field: string]: Json } = {}): Promise<void> {
  const wanted = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: CLAIM };
  await client.create(persistentVolumeClaims, {
    ...claim,
    spec: { ...wanted, ...spec },
    status: {},
  } as unknown as PersistentVolumeClaim);
}

async function aPod(): Promise<void> {
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  await client.create(pods, podBody(POD, { volumes }));
}

/** Directories are made by threads of their own. */
function eventually(look: () => unknown): Promise<void> {
  return vi.waitFor(async () => {
    server.clock.advance(10);
    await new Promise((resolve) => setImmediate(resolve));
    await look();
  }, PATIENCE);
}

const PATIENCE = { timeout: 120_000 };

const claim = () => client.get(persistentVolumeClaims, CLAIM);
const volumes = async () => (await client.list(persistentVolumes)).items;
const told = async () => (await client.list(events)).items.map(({ reason }) => reason);

test("there is a default class, and a claim waits for its first consumer", async () => {
  await aClaim();
  const [storageClass] = (await client.list(storageClasses)).items;
  expect(storageClass?.provisioner).toBe("tallyjob.io/directory");
  expect((await claim()).spec.storageClassName).toBe("tally-directory");
  await eventually(async () => expect(await told()).toContain("WaitForFirstConsumer"));
  expect((await claim()).status.phase).toBe("Pending");
  expect(existsSync(directory)).toBe(false);
});

test("a pod that uses a claim gets its node when the claim is bound there", async () => {
  await aClaim();
  await aPod();
  await eventually(async () => expect((await client.get(pods, POD)).spec.nodeName).toBe("n"));
  const { metadata, spec, status } = await claim();
  expect(status).toEqual({
    phase: "Bound",
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
  });
  expect(metadata.annotations).toEqual({
    "pv.kubernetes.io/bind-completed": "yes",
    "pv.kubernetes.io/bound-by-controller": "yes",
    "volume.beta.kubernetes.io/storage-provisioner": "tallyjob.io/directory",
    "volume.kubernetes.io/selected-node": "n",
    "volume.kubernetes.io/storage-provisioner": "tallyjob.io/directory",
  });
  const [volume] = await volumes();
  expect(spec.volumeName).toBe(volume?.metadata.name);
  expect(volume?.status.phase).toBe("Bound");
  expect(volume?.spec.local?.path).toBe(path.join(directory, `pvc-${metadata.uid}`));
  expect(existsSync(volume?.spec.local?.path ?? "")).toBe(true);
  const reasons = await told();
  expect(reasons).toEqual(expect.arrayContaining(["Provisioning", "ProvisioningSucceeded"]));
});

test("a volume goes with its claim, and what is in it", async () => {
  await aClaim();
  await aPod();
  await eventually(async () => expect((await claim()).status.phase).toBe("Bound"));
  const [volume] = await volumes();
  writeFileSync(path.join(volume?.spec.local?.path ?? "", "file"), "");
  await client.delete(persistentVolumeClaims, CLAIM);
  await eventually(async () => expect((await client.get(pods, POD)).spec.nodeName).toBe("n"));
  expect((await claim()).metadata.deletionTimestamp).toBeDefined();
  await client.delete(pods, POD, { gracePeriodSeconds: 0 });
  await eventually(async () => expect(await volumes()).toEqual([]));
  expect(await findObject(client, persistentVolumeClaims, CLAIM)).toBeUndefined();
  expect(readdirSync(directory)).toEqual([]);
});

test("a volume that is to be retained is released with what is in it", async () => {
  await client.create(storageClasses, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "kept" },
    provisioner: "tallyjob.io/directory",
    reclaimPolicy: "Retain",
  });
  await aClaim({ storageClassName: "kept" });
  // Without waiting for a pod, by whichever node comes first.
  await eventually(async () => expect((await claim()).status.phase).toBe("Bound"));
  await client.delete(persistentVolumeClaims, CLAIM);
  await eventually(async () => expect((await volumes())[0]?.status.phase).toBe("Released"));
  expect(readdirSync(directory)).toHaveLength(1);
});

test("a volume that is there on the node is taken before one is made", async () => {
  const provisioner = "kubernetes.io/no-provisioner";
  const typeMeta = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
  const volumeBindingMode = "WaitForFirstConsumer";
  const metadata = { name: "local" };
  await client.create(storageClasses, { ...typeMeta, metadata, provisioner, volumeBindingMode });
  const here = { key: "kubernetes.io/hostname", operator: "In", values: ["n"] };
  await client.create(persistentVolumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "disk" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "5Gi" },
      storageClassName: "local",
      local: { path: "/disk" },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } },
    },
    status: {},
  });
  await aClaim({ storageClassName: "local" });
  await eventually(async () => expect(await told()).toContain("WaitForFirstConsumer"));
  await aPod();
  await eventually(async () => expect((await client.get(pods, POD)).spec.nodeName).toBe("n"));
  expect((await claim()).spec.volumeName).toBe("disk");
  expect((await claim()).status.capacity).toEqual({ storage: "5Gi" });
});

test("what a directory cannot be is told", async () => {
  await aClaim({ volumeMode: "Block" });
  await aPod();
  await eventually(async () => {
    const messages = (await client.list(events)).items.map(({ message }) => message);
    expect(messages).toContain(
      'failed to provision volume with StorageClass "tally-directory": ' +
        "a directory is no block device",
    );
  });
  expect(await volumes()).toEqual([]);
});

test("a claim of a pod that is not there is the reason why it has no node", async () => {
  await aPod();
  server.clock.advance(1000);
  await eventually(async () => {
    const { conditions = [] } = (await client.get(pods, POD)).status;
    expect(conditions[0]?.message).toBe(
      '0/1 nodes are available: persistentvolumeclaim "data" not found. ' +
        "no new claims to deallocate, preemption: " +
        "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    );
  });
  await aClaim();
  await eventually(async () => expect((await client.get(pods, POD)).spec.nodeName).toBe("n"));
});

test("the claim of an ephemeral volume is made for its pod", async () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } };
  const ephemeral = { volumeClaimTemplate: { spec, metadata: { labels: { a: "b" } } } };
  await client.create(pods, podBody(POD, { volumes: [{ name: "v", ephemeral }] }));
  await eventually(async () => expect((await client.get(pods, POD)).spec.nodeName).toBe("n"));
  const { metadata } = await client.get(persistentVolumeClaims, { ...CLAIM, name: "p-v" });
  expect(metadata.labels).toEqual({ a: "b" });
  expect(metadata.ownerReferences?.[0]).toMatchObject({ kind: "Pod", name: "p", controller: true });
});
