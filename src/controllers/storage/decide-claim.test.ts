import { expect, test } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import type { StorageClass } from "../../api/generated/storage.ts";
import { type ClaimSurroundings, decideClaim } from "./decide-claim.ts";

type Fields = {
  readonly annotations?: { readonly [key: string]: string };
} & Partial<PersistentVolumeClaim["spec"]>;

function claim({ annotations = {}, ...spec }: Fields = {}): PersistentVolumeClaim {
  const resources = { requests: { storage: "1Gi" } };
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: "ns", name: "c", uid: "u", annotations },
    spec: { accessModes: ["ReadWriteOnce"], resources, ...spec },
    status: {},
  };
}

function volume(spec: Partial<PersistentVolume["spec"]> = {}): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v" },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
    status: { phase: "Available" },
  };
}

const CLASSES: readonly StorageClass[] = [
  ["now", "a.b/c", "Immediate"],
  ["later", "a.b/c", "WaitForFirstConsumer"],
  ["local", "kubernetes.io/no-provisioner", "Immediate"],
].map(([name = "", provisioner = "", volumeBindingMode = ""]) => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name },
  provisioner,
  volumeBindingMode,
}));

function decided(
  fields: Fields,
  volumes: readonly PersistentVolume[] = [],
  more: Partial<ClaimSurroundings> = {},
): unknown {
  const decision = decideClaim(claim(fields), {
    volumes,
    findVolume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    findClass: (name) => CLASSES.find(({ metadata }) => metadata.name === name),
    defaultClass: undefined,
    waitingPods: [],
    ...more,
  });
  if (decision.kind === "bind") return `bind ${decision.volume.metadata.name}`;
  if (!("told" in decision) || !decision.told) return decision;
  const { type, reason, message } = decision.told;
  return `${decision.kind}: ${type} ${reason}: ${message}`;
}

const COMPLETE = { "pv.kubernetes.io/bind-completed": "yes" };
const other = { claimRef: { namespace: "ns", name: "d", uid: "x" } };
const own = { claimRef: { namespace: "ns", name: "c", uid: "u" } };

test.each<[string, Fields, readonly PersistentVolume[], unknown]>([
  ["with a matching volume", {}, [volume()], "bind v"],
  [
    "without a matching volume or a class",
    {},
    [],
    "pend: Normal FailedBinding: " +
      "no persistent volumes available for this claim and no storage class is set",
  ],
  [
    "with a missing class",
    { storageClassName: "q" },
    [],
    'pend: Warning ProvisioningFailed: storageclass.storage.k8s.io "q" not found',
  ],
  [
    "with a class without provisioner",
    { storageClassName: "local" },
    [],
    "pend: Warning ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner",
  ],
  [
    "with a class that provisions volumes",
    { storageClassName: "now" },
    [],
    { kind: "provision", provisioner: "a.b/c" },
  ],
  [
    "that waits for a pod",
    { storageClassName: "later" },
    [volume({ storageClassName: "later" })],
    "pend: Normal WaitForFirstConsumer: waiting for first consumer to be created before binding",
  ],
  [
    "whose pod has a node",
    { storageClassName: "later", annotations: { "volume.kubernetes.io/selected-node": "n" } },
    [],
    { kind: "provision", provisioner: "a.b/c" },
  ],
  ["that names a missing volume", { volumeName: "v" }, [], { kind: "pend" }],
  ["that names a free volume", { volumeName: "v" }, [volume()], "bind v"],
  [
    "that names a volume that does not match",
    { volumeName: "v" },
    [volume({ storageClassName: "x" })],
    'pend: Warning VolumeMismatch: Cannot bind to requested volume "v": ' +
      "storageClassName does not match",
  ],
  [
    "that names a volume bound to another claim",
    { volumeName: "v" },
    [volume(other)],
    'pend: Warning FailedBinding: volume "v" already bound to a different claim.',
  ],
  ["that is bound", { annotations: COMPLETE, volumeName: "v" }, [volume(own)], "bind v"],
  [
    "whose volume is gone",
    { annotations: COMPLETE, volumeName: "v" },
    [],
    "lose: Warning ClaimLost: " +
      "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
  ],
  [
    "whose volume is bound to another",
    { annotations: COMPLETE, volumeName: "v" },
    [volume(other)],
    "lose: Warning ClaimMisbound: " +
      "Two claims are bound to the same volume, this one is bound incorrectly",
  ],
])("a claim %s", (_, fields, volumes, expected) => {
  expect(decided(fields, volumes)).toEqual(expected);
});

test("a claim without a class gets the default class if there is one", () => {
  const more = { defaultClass: "now" };
  expect(decided({}, [], more)).toEqual({ kind: "classify", storageClass: "now" });
  expect(decided({ storageClassName: "" }, [volume()], more)).toBe("bind v");
});

test("the event of a waiting claim names the pods it waits for", () => {
  const waitingPods = ["p", "q"];
  expect(decided({ storageClassName: "later" }, [], { waitingPods })).toBe(
    "pend: Normal WaitForPodScheduled: waiting for pods p,q to be scheduled",
  );
});
