/** Pure: whose an object is. */
import type { OwnerReference } from "./generated/meta.ts";
import type { KubeObject } from "./object.ts";

/** The one owner that looks after it. */
export function controllerOf({
  metadata,
}: Pick<KubeObject, "metadata">): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
