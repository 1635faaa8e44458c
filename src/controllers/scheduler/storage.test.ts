import { expect, test } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import type { StorageClass } from "../../api/generated/storage.ts";
import type { NodeFacts } from "./node-facts.ts";
import { storageNeeds, storageObjection } from "./storage.ts";

const NODE: NodeFacts = {
  name: "n",
  labels: { zone: "a" },
  allocatable: {},
  isUnschedulable: false,
  taints: [],
  softTaints: [],
};

const COMPLETE = { "pv.kubernetes.io/bind-completed": "yes" };

interface ClaimFields {
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly annotations?: { readonly [key: string]: string };
  readonly deletionTimestamp?: string;
}

function claim({ annotations = {}, deletionTimestamp, ...spec }: ClaimFields) {
  const going = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return {
    metadata: { namespace: "ns", name: "c", annotations, ...going },
    spec: { accessModes: [], resources: {}, ...spec },
    status: {},
  } as unknown as PersistentVolumeClaim;
}

function volumeIn(zone: string): PersistentVolume {
  const matchExpressions = [{ key: "zone", operator: "In", values: [zone] }];
  return {
    metadata: { name: "v" },
    spec: {
      storageClassName: "local",
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
    status: { phase: "Available" },
  } as unknown as PersistentVolume;
}

function classOf(name: string): StorageClass | undefined {
  const made = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name } };
  const delayed = { ...made, volumeBindingMode: "WaitForFirstConsumer" };
  if (name === "local") return { ...delayed, provisioner: "kubernetes.io/no-provisioner" };
  if (name === "made") return { ...delayed, provisioner: "a.b/c" };
  return name === "now" ? { ...made, provisioner: "a.b/c" } : undefined;
}

const bound = { annotations: COMPLETE, volumeName: "v" };
const selected = (node: string) => ({
  storageClassName: "made",
  annotations: { "volume.kubernetes.io/selected-node": node },
});
const UNBOUND = "pod has unbound immediate PersistentVolumeClaims";
const NOTHING = "node(s) didn't find available persistent volumes to bind";
const ELSEWHERE = "node(s) didn't match PersistentVolume's node affinity";

test.each<[string, ClaimFields | undefined, string, string | undefined]>([
  ["that is missing", undefined, "a", 'persistentvolumeclaim "c" not found'],
  [
    "that is being deleted",
    { ...bound, deletionTimestamp: "t" },
    "a",
    'persistentvolumeclaim "c" is being deleted',
  ],
  ["that is bound here", bound, "a", undefined],
  ["that is bound elsewhere", bound, "b", ELSEWHERE],
  ["without a class", {}, "a", UNBOUND],
  ["with immediate binding", { storageClassName: "now" }, "a", UNBOUND],
  ["whose volume can be provisioned here", { storageClassName: "made" }, "b", undefined],
  ["whose volume is being provisioned here", selected("n"), "b", undefined],
  ["whose volume is being provisioned elsewhere", selected("m"), "b", NOTHING],
  ["with a matching volume here", { storageClassName: "local" }, "a", undefined],
  ["with a matching volume elsewhere", { storageClassName: "local" }, "b", NOTHING],
])("a claim %s", (_, fields, zone, expected) => {
  const volume = volumeIn(zone);
  const needs = storageNeeds(["ns/c"], {
    findClaim: () => fields && claim(fields),
    findVolume: () => volume,
    findClass: classOf,
    volumes: () => [volume],
  });
  expect(storageObjection(needs, NODE)).toBe(expected);
});
