/** Pure: an object in the dependency graph. */
import type { Name, ResourceType } from "../../api/client.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import type { KubeObject } from "../../api/object.ts";
import { type Phase, phaseOf } from "./phase.ts";

export interface Node {
  readonly uid: string;
  readonly type: ResourceType;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly OwnerReference[];
  readonly phase: Phase;
}

export function nodeOf(type: ResourceType, { metadata }: KubeObject): Node {
  const { uid = "", namespace = "", name = "", ownerReferences = [] } = metadata;
  return { uid, type, namespace, name, owners: ownerReferences, phase: phaseOf(metadata) };
}

export function apiVersionOf({ group, version }: ResourceType): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Whether an owner reference matches the actual object with that UID. */
export function isOwnerOf(owner: Node, dependent: Node, reference: OwnerReference): boolean {
  return (
    reference.kind === owner.type.kind &&
    reference.apiVersion === apiVersionOf(owner.type) &&
    reference.name === owner.name &&
    (!owner.type.namespaced || owner.namespace === dependent.namespace)
  );
}

export function placeOf({ type, namespace, name }: Node): Name {
  return type.namespaced ? { namespace, name } : { name };
}
