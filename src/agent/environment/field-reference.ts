/** Pure: the fields of a pod that a variable may refer to. */
import type { Pod } from "../../api/generated/core.ts";

/** Where a pod runs, known to its agent before the status of the pod says so. */
export interface PodPlace {
  readonly hostIp: string;
  readonly podIp: string;
}

/** Undefined for a field that is none for a variable, which the server accepts from nobody. */
export function findField(pod: Pod, fieldPath: string, place: PodPlace): string | undefined {
  const { metadata, spec } = pod;
  switch (fieldPath) {
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "spec.nodeName":
    case "spec.host":
      return spec.nodeName ?? "";
    case "spec.serviceAccountName":
      return spec.serviceAccountName ?? "";
    case "status.hostIP":
    case "status.hostIPs":
      return place.hostIp;
    case "status.podIP":
    case "status.podIPs":
      return place.podIp;
    default:
      return findSubscripted(pod, fieldPath);
  }
}

const SUBSCRIPTED = /^metadata\.(labels|annotations)\['(.+)'\]$/s;

/** "metadata.labels['app']"; a key that is not there is an empty value. */
export function findSubscripted({ metadata }: Pod, fieldPath: string): string | undefined {
  const [, map, key = ""] = SUBSCRIPTED.exec(fieldPath) ?? [];
  if (map === undefined) return undefined;
  const values = (map === "labels" ? metadata.labels : metadata.annotations) ?? {};
  return Object.hasOwn(values, key) ? values[key] : "";
}
