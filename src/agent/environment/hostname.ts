/** Pure: what a pod's own host is called. */
import type { Pod } from "../../api/generated/core.ts";
import { LABEL_MAX } from "../../api/names.ts";

/** A pod on the network of its node goes by the name of the node. */
export function hostnameOf({ metadata, spec }: Pod, nodeName: string): string {
  if (spec.hostNetwork === true) return nodeName;
  const name = spec.hostnameOverride || spec.hostname || metadata.name || "";
  if (name.length <= LABEL_MAX) return name;
  return name.slice(0, LABEL_MAX).replace(/[-.]+$/, "");
}
