/** Pure: the class whose volumes are directories of a node, and such a volume. */
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import type { StorageClass } from "../../api/generated/storage.ts";
import { classOfClaim, PROVISIONED_BY, referenceToClaim } from "../../api/volume-claims.ts";

export const PROVISIONER = "tallyjob.io/directory";

/** For claims that name no class. Directories are on one node: they are made where a pod goes. */
export const DIRECTORY_CLASS: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: {
    name: "tally-directory",
    annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
  },
  provisioner: PROVISIONER,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
};

/** What a directory cannot be. */
export function findObstacle(
  { spec }: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): string | undefined {
  if (storageClass === undefined) return "the StorageClass is gone";
  if (spec.volumeMode === "Block") return "a directory is no block device";
  if (spec.selector !== undefined) return "claim Selector is not supported";
  if (spec.dataSource !== undefined || spec.dataSourceRef !== undefined) {
    return "a directory is made empty: a data source is not supported";
  }
  const [parameter] = Object.keys(storageClass.parameters ?? {});
  if (parameter !== undefined) return `the parameter ${parameter} is not known`;
  if (storageClass.mountOptions?.length) return "mount options are not supported";
  return undefined;
}

export interface NewVolume {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass | undefined;
  readonly directory: string;
  readonly nodeName: string;
}

export function composeVolume({
  claim,
  storageClass,
  directory,
  nodeName,
}: NewVolume): PersistentVolume {
  const { accessModes, resources } = claim.spec;
  const here = { key: "kubernetes.io/hostname", operator: "In", values: [nodeName] };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: `pvc-${claim.metadata.uid}`,
      annotations: { [PROVISIONED_BY]: PROVISIONER },
    },
    spec: {
      ...(accessModes === undefined ? {} : { accessModes }),
      capacity: { storage: resources.requests?.["storage"] ?? "0" },
      claimRef: referenceToClaim(claim),
      local: { path: directory },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } },
      persistentVolumeReclaimPolicy: storageClass?.reclaimPolicy ?? "Delete",
      storageClassName: classOfClaim(claim),
      volumeMode: "Filesystem",
    },
    status: {},
  };
}
