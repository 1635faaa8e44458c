/** Pure: builds the pods of a StatefulSet from a revision of its template and their ordinal. */
import type { StatefulSet } from "../../api/generated/apps.ts";
import type { Pod, PodTemplateSpec } from "../../api/generated/core.ts";
import { volumesOf } from "./claims.ts";
import { POD_INDEX_LABEL, POD_NAME_LABEL, podNameOf, REVISION_LABEL } from "./identity.ts";

export interface Version {
  /** The name of the ControllerRevision. */
  readonly name: string;
  readonly template: PodTemplateSpec;
}

export function newPod(
  set: StatefulSet,
  ordinal: number,
  version: Version,
  { labelsIndex }: { readonly labelsIndex: boolean },
): Pod {
  const { metadata, spec } = version.template;
  const name = podNameOf(set, ordinal);
  const { annotations, finalizers } = metadata;
  const volumes = volumesOf(set, ordinal, spec.volumes ?? []);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: `${set.metadata.name ?? ""}-`,
      namespace: set.metadata.namespace ?? "",
      labels: {
        ...metadata.labels,
        [POD_NAME_LABEL]: name,
        ...(labelsIndex ? { [POD_INDEX_LABEL]: String(ordinal) } : {}),
        [REVISION_LABEL]: version.name,
      },
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [referenceTo(set)],
    },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
    status: {},
  };
}

export function referenceTo({ metadata }: StatefulSet) {
  const { name = "", uid = "" } = metadata;
  const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name, uid };
  return { ...owner, controller: true, blockOwnerDeletion: true };
}
