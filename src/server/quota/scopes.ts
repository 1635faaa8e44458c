/** Pure: which objects a ResourceQuota counts. */
import type {
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  ResourceQuota,
  ScopedResourceSelectorRequirement,
} from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { qosClassOf } from "../../kinds/pod/qos.ts";

/** A quota without scopes counts every object; one with several counts objects that match all. */
export function isInScope({ spec }: ResourceQuota, resource: string, object: KubeObject): boolean {
  const plain = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  const scopes = [...plain, ...(spec.scopeSelector?.matchExpressions ?? [])];
  return scopes.every((scope) => {
    if (resource === "pods") return podMatches(scope, object as Pod);
    if (resource === "persistentvolumeclaims") {
      return claimMatches(scope, object as PersistentVolumeClaim);
    }
    return false;
  });
}

function podMatches(scope: ScopedResourceSelectorRequirement, { spec }: Pod): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return isTerminating(spec);
    case "NotTerminating":
      return !isTerminating(spec);
    case "BestEffort":
      return qosClassOf(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClassOf(spec) !== "BestEffort";
    case "PriorityClass":
      return meets(scope, spec.priorityClassName ?? "");
    case "CrossNamespacePodAffinity":
      return looksElsewhere(spec);
    default:
      return false;
  }
}

function isTerminating({ activeDeadlineSeconds }: Pod["spec"]): boolean {
  return activeDeadlineSeconds !== undefined && Number(activeDeadlineSeconds) >= 0;
}

function meets({ operator, values = [] }: ScopedResourceSelectorRequirement, has: string): boolean {
  switch (operator) {
    case "Exists":
      return has !== "";
    case "DoesNotExist":
      return has === "";
    case "In":
      return has !== "" && values.includes(has);
    case "NotIn":
      return !values.includes(has);
    default:
      return false;
  }
}

function looksElsewhere({ affinity }: Pod["spec"]): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((part) => {
    const preferred = part?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms: readonly PodAffinityTerm[] = [
      ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...preferred.map(({ podAffinityTerm }) => podAffinityTerm),
    ];
    return terms.some(({ namespaces = [], namespaceSelector }) => {
      return namespaces.length > 0 || namespaceSelector !== undefined;
    });
  });
}

function claimMatches(
  scope: ScopedResourceSelectorRequirement,
  { spec, status }: PersistentVolumeClaim,
): boolean {
  if (scope.scopeName !== "VolumeAttributesClass") return false;
  const names = [spec.volumeAttributesClassName, status?.currentVolumeAttributesClassName];
  return names.some((name) => name && meets(scope, name));
}
