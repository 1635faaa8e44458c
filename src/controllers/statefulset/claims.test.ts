import { expect, test } from "vitest";
import { podBody, statefulSetBody } from "../../../test/builders/resources.ts";
import type { PersistentVolumeClaim } from "../../api/generated/core.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import { type OwnersReview, reviewOwners } from "./claims.ts";

const SET = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "set" };
const POD = { apiVersion: "v1", kind: "Pod", name: "web-0", uid: "pod" };
const MAP = { apiVersion: "v1", kind: "ConfigMap", name: "map", uid: "map" };
const OTHER = { ...SET, name: "other", uid: "other", controller: true };

const managed = (owner: OwnerReference): OwnerReference => ({
  ...owner,
  controller: true,
  blockOwnerDeletion: true,
});

interface Situation {
  readonly whenDeleted?: "Delete";
  readonly whenScaled?: "Delete";
  readonly isScaledAway?: boolean;
  /** The pod is about to be created. */
  readonly isNew?: boolean;
  readonly owners: readonly OwnerReference[];
}

function review({ isScaledAway, isNew, owners, ...policy }: Situation): OwnersReview {
  const set = statefulSetBody(
    { namespace: "default", name: "web", uid: "set" },
    {
      replicas: isScaledAway ? 0 : 1,
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: "Retain",
        whenScaled: "Retain",
        ...policy,
      },
    },
  );
  const pod = podBody({ name: "web-0", ...(isNew ? {} : { uid: "pod" }) });
  const claim: PersistentVolumeClaim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data-web-0", ownerReferences: owners },
    spec: { resources: {} },
    status: {},
  };
  return reviewOwners(set, pod, claim);
}

const DELETED = { whenDeleted: "Delete" } as const;
const SCALED = { whenScaled: "Delete" } as const;
const AWAY = { ...SCALED, isScaledAway: true } as const;

test.each<[string, Situation, readonly OwnerReference[] | undefined]>([
  ["retained: none", { owners: [] }, undefined],
  ["retained: ours are removed", { owners: [managed(SET), MAP, managed(POD)] }, [MAP]],
  ["retained: another controller keeps it", { owners: [OTHER] }, undefined],
  ["retained: ours without the flag is removed", { owners: [SET] }, []],
  ["deleted: the set", { ...DELETED, owners: [] }, [managed(SET)]],
  ["deleted: the set is there", { ...DELETED, owners: [managed(SET)] }, undefined],
  ["deleted: the flag is restored", { ...DELETED, owners: [SET] }, [managed(SET)]],
  [
    "deleted: a false flag is restored",
    { ...DELETED, owners: [{ ...managed(SET), controller: false }] },
    [managed(SET)],
  ],
  ["deleted: other owners stay", { ...DELETED, owners: [MAP] }, [MAP, managed(SET)]],
  ["deleted: another controller", { ...DELETED, owners: [OTHER] }, undefined],
  [
    "deleted: another controller beside ours",
    { ...DELETED, owners: [managed(SET), OTHER] },
    [OTHER],
  ],
  [
    "deleted: an earlier set of that name",
    { ...DELETED, owners: [{ ...managed(SET), uid: "earlier" }] },
    undefined,
  ],
  ["deleted: a new pod", { ...DELETED, isNew: true, owners: [] }, [managed(SET)]],
  ["scaled: none", { ...SCALED, owners: [] }, undefined],
  ["scaled: the set is removed", { ...SCALED, owners: [managed(SET)] }, []],
  ["scaled away: the pod", { ...AWAY, owners: [] }, [managed(POD)]],
  ["scaled away: the flag is restored", { ...AWAY, owners: [POD] }, [managed(POD)]],
  [
    "scaled away: an earlier pod of that name",
    { ...AWAY, owners: [{ ...managed(POD), uid: "earlier" }] },
    undefined,
  ],
  [
    "both, scaled away: the pod instead of the set",
    { ...AWAY, ...DELETED, owners: [managed(SET)] },
    [managed(POD)],
  ],
  [
    "both, back in range: the set instead of the pod",
    { ...SCALED, ...DELETED, owners: [managed(POD)] },
    [managed(SET)],
  ],
])("owners of a claim, %s", (_name, situation, corrected) => {
  expect(review(situation).corrected).toEqual(corrected);
});

test.each<[string, Situation, boolean]>([
  ["another controller", { ...DELETED, owners: [OTHER] }, true],
  ["another controller of a retained claim", { owners: [OTHER] }, false],
  ["an owner that is no controller", { ...DELETED, owners: [MAP] }, false],
  ["an earlier set", { ...DELETED, owners: [{ ...SET, uid: "earlier" }] }, true],
  ["the set itself", { ...DELETED, owners: [SET] }, false],
])("a claim is contested or not by %s", (_name, situation, isContested) => {
  expect(review(situation).isContested).toBe(isContested);
});
