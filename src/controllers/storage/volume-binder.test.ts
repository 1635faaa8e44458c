import { afterEach, beforeEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import { events, persistentVolumeClaims, persistentVolumes } from "../../api/resources.ts";
import { storageController } from "./storage-controller.ts";

const CLAIM = { namespace: "default", name: "data" };
let work: AtWork;

beforeEach(async () => {
  work = await startController(storageController);
});

afterEach(() => work.stop());

async function aVolume(spec: Partial<PersistentVolume["spec"]> = {}): Promise<void> {
  await work.client.create(persistentVolumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "2Gi" },
      hostPath: { path: "/d" },
      ...spec,
    },
    status: {},
  });
  await work.settle();
}

async function aClaim(): Promise<void> {
  await work.client.create(persistentVolumeClaims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: CLAIM,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    status: {},
  } as PersistentVolumeClaim);
  await work.settle();
}

async function deleteClaim(): Promise<void> {
  await work.client.delete(persistentVolumeClaims, CLAIM);
  await work.settle();
}

const volume = () => work.client.get(persistentVolumes, { name: "v" });
const claim = () => work.client.get(persistentVolumeClaims, CLAIM);

test("a claim and a volume are bound in either order of creation", async () => {
  await aClaim();
  expect((await claim()).status).toEqual({ phase: "Pending" });
  await aVolume();
  const bound = await claim();
  expect(bound.spec.volumeName).toBe("v");
  expect(bound.status).toEqual({
    phase: "Bound",
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "2Gi" },
  });
  const { metadata, spec, status } = await volume();
  expect(status.phase).toBe("Bound");
  expect(spec.claimRef).toMatchObject({ ...CLAIM, uid: bound.metadata.uid });
  expect(metadata.annotations).toEqual({ "pv.kubernetes.io/bound-by-controller": "yes" });
});

test("an unclaimed volume is Available", async () => {
  await aVolume();
  expect((await volume()).status.phase).toBe("Available");
});

test("a volume with policy Retain is Released and not bound to the next claim", async () => {
  await aVolume();
  await aClaim();
  await deleteClaim();
  expect((await volume()).status.phase).toBe("Released");
  await aClaim();
  expect((await claim()).status.phase).toBe("Pending");
});

test("a user's volume with policy Delete becomes Failed, as nothing can delete it", async () => {
  await aVolume({ persistentVolumeReclaimPolicy: "Delete" });
  await aClaim();
  await deleteClaim();
  expect((await volume()).status.phase).toBe("Failed");
  const reasons = (await work.client.list(events)).items.map(({ reason }) => reason);
  expect(reasons).toContain("VolumeFailedDelete");
});

test("a claim whose volume was deleted is Lost", async () => {
  await aVolume();
  await aClaim();
  await work.client.delete(persistentVolumes, { name: "v" });
  const body = { metadata: { finalizers: null } };
  await work.client.patch(persistentVolumes, { name: "v" }, { type: "merge", body });
  await work.settle();
  expect((await claim()).status.phase).toBe("Lost");
});

test("a volume reserved for a claim is bound when the claim is created", async () => {
  await aVolume({ claimRef: { kind: "PersistentVolumeClaim", ...CLAIM } });
  expect((await volume()).status.phase).toBe("Available");
  await aClaim();
  expect((await claim()).status.phase).toBe("Bound");
  expect((await volume()).metadata.annotations).toBeUndefined();
});
