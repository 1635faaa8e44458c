/** Objects that own one another, and all resources that the garbage collector handles. */
import type { ResourceType } from "../../src/api/client.ts";
import type { ObjectMeta, OwnerReference } from "../../src/api/generated/meta.ts";
import type { PriorityClass } from "../../src/api/generated/scheduling.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { verbsOf } from "../../src/kinds/kind.ts";
import { registry } from "../../src/kinds/registry.ts";

export const deletableTypes: readonly ResourceType[] = registry.kinds.filter((kind) => {
  const verbs = verbsOf(kind);
  return verbs.includes("delete") && verbs.includes("list") && verbs.includes("watch");
});

/** A small cluster-scoped resource. */
export const priorityClasses: ResourceType<PriorityClass> = {
  group: "scheduling.k8s.io",
  version: "v1",
  resource: "priorityclasses",
  kind: "PriorityClass",
  namespaced: false,
};

export function priorityClassBody(metadata: ObjectMeta): PriorityClass {
  return { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata, value: 1 };
}

export function ownerReference(
  { apiVersion, kind, metadata }: KubeObject,
  more: Partial<OwnerReference> = {},
): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion, kind, name, uid, ...more };
}
