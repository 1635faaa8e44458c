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

test("a claim and a volume find each other, whoever comes first", async () => {
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

test("a volume that nobody claims is available", async () => {
  await aVolume();
  expect((await volume()).status.phase).toBe("Available");
});

test("a volume that is to be retained is released, and not given to the next claim", async () => {
  await aVolume();
  await aClaim();
  await deleteClaim();
  expect((await volume()).status.phase).toBe("Released");
  await aClaim();
  expect((await claim()).status.phase).toBe("Pending");
});

test("a volume of a user's own that is to be deleted has failed: nobody can", async () => {
  await aVolume({ persistentVolumeReclaimPolicy: "Delete" });
  await aClaim();
  await deleteClaim();
  expect((await volume()).status.phase).toBe("Failed");
  const reasons = (await work.client.list(events)).items.map(({ reason }) => reason);
  expect(reasons).toContain("VolumeFailedDelete");
});

test("a claim whose volume was taken away by force is lost", async () => {
  await aVolume();
  await aClaim();
  await work.client.delete(persistentVolumes, { name: "v" });
  const body = { metadata: { finalizers: null } };
  await work.client.patch(persistentVolumes, { name: "v" }, { type: "merge", body });
  await work.settle();
  expect((await claim()).status.phase).toBe("Lost");
});

test("a volume that is reserved for a claim waits for it", async () => {
  await aVolume({ claimRef: { kind: "PersistentVolumeClaim", ...CLAIM } });
  expect((await volume()).status.phase).toBe("Available");
  await aClaim();
  expect((await claim()).status.phase).toBe("Bound");
  expect((await volume()).metadata.annotations).toBeUndefined();
});
