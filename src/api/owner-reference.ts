/** Pure: the owner of an object. */
import type { OwnerReference } from "./generated/meta.ts";
import type { KubeObject } from "./object.ts";

/** The one owner that manages the object. */
export function controllerOf({
  metadata,
}: Pick<KubeObject, "metadata">): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
