import { afterEach, beforeEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { podBody } from "../../../test/builders/resources.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import { persistentVolumeClaims, persistentVolumes, pods } from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import { storageProtection } from "./storage-protection.ts";

const CLAIM = { namespace: "default", name: "data" };
const POD = { namespace: "default", name: "p" };
let work: AtWork;

beforeEach(async () => {
  work = await startController(storageProtection);
  await work.client.create(persistentVolumeClaims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: CLAIM,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
    status: {},
  } as unknown as PersistentVolumeClaim);
});

afterEach(() => work.stop());

const claim = () => findObject(work.client, persistentVolumeClaims, CLAIM);

async function deleteClaim(): Promise<void> {
  await work.client.delete(persistentVolumeClaims, CLAIM);
  await work.settle();
}

async function aPodWithClaim(): Promise<void> {
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  await work.client.create(pods, podBody(POD, { volumes }));
}

test("an unused claim is deleted at once", async () => {
  expect((await claim())?.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
  await deleteClaim();
  expect(await claim()).toBeUndefined();
});

test("a claim in use is kept until its pod has ended", async () => {
  await aPodWithClaim();
  await work.client.bind(POD, "n");
  await deleteClaim();
  expect((await claim())?.metadata.deletionTimestamp).toBeDefined();
  const body = { status: { phase: "Succeeded" } };
  await work.client.patch(pods, POD, { type: "merge", subresource: "status", body });
  await work.settle();
  expect(await claim()).toBeUndefined();
});

test("a pod without a node does not use its claim yet", async () => {
  await aPodWithClaim();
  await deleteClaim();
  expect(await claim()).toBeUndefined();
});

test("a volume is kept as long as it is bound", async () => {
  const VOLUME = { name: "v" };
  await work.client.create(persistentVolumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: VOLUME,
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Mi" },
      hostPath: { path: "/tmp/v" },
    },
    status: {},
  } as unknown as PersistentVolume);
  const setPhase = async (phase: string) => {
    const body = { status: { phase } };
    await work.client.patch(persistentVolumes, VOLUME, {
      type: "merge",
      subresource: "status",
      body,
    });
    await work.settle();
  };
  await setPhase("Bound");
  await work.client.delete(persistentVolumes, VOLUME);
  await work.settle();
  expect(await findObject(work.client, persistentVolumes, VOLUME)).toBeDefined();
  await setPhase("Released");
  expect(await findObject(work.client, persistentVolumes, VOLUME)).toBeUndefined();
});
