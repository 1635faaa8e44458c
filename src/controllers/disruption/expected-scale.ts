/** The expected number of pods, taken from spec.replicas of the controllers that own them. */
import type { Client, ResourceType } from "../../api/client.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { findObject } from "../../client/find.ts";

type Scalable = KubeObject & { readonly spec: { readonly replicas?: number } };

const apps = (resource: string, kind: string): ResourceType<Scalable> => ({
  group: "apps",
  version: "v1",
  resource,
  kind,
  namespaced: true,
});

const SCALABLE: { readonly [owner: string]: ResourceType<Scalable> } = {
  "apps/v1 StatefulSet": apps("statefulsets", "StatefulSet"),
  "apps/v1 ReplicaSet": apps("replicasets", "ReplicaSet"),
  "apps/v1 Deployment": apps("deployments", "Deployment"),
  "v1 ReplicationController": {
    group: "",
    version: "v1",
    resource: "replicationcontrollers",
    kind: "ReplicationController",
    namespaced: true,
  },
};

export type ExpectedScale =
  | { readonly scale: number; readonly unmanaged: readonly string[] }
  /** In Kubernetes' wording. */
  | { readonly problem: string };

export async function expectedScale(client: Client, pods: readonly Pod[]): Promise<ExpectedScale> {
  const counted = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const { name = "", namespace = "" } = pod.metadata;
    const owner = controllerOf(pod);
    if (owner === undefined) {
      unmanaged.push(name);
      continue;
    }
    if (counted.has(owner.uid)) continue;
    const type = SCALABLE[`${owner.apiVersion} ${owner.kind}`];
    const found = type && (await findObject(client, type, { namespace, name: owner.name }));
    if (!found || found.metadata.uid !== owner.uid) {
      return { problem: `found no controllers for pod "${name}"` };
    }
    counted.set(owner.uid, found.spec.replicas ?? 1);
  }
  const scale = [...counted.values()].reduce((sum, each) => sum + each, 0);
  return { scale, unmanaged };
}
