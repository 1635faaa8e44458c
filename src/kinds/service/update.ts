/**
 * Pure: checks what an update of a Service may change. The first address and its family cannot
 * change, unless the Service becomes or was an ExternalName.
 */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, invalid } from "../../api/finding.ts";
import type { Service, ServiceSpec } from "../../api/generated/core.ts";
import { type Draft, draftOf } from "../../api/object.ts";
import { IMMUTABLE, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import {
  isExternallyAccessible,
  isHeadless,
  needsClusterIP,
  needsHealthCheckNodePort,
  needsNodePort,
} from "./defaults.ts";
import { validateServiceContent } from "./validate.ts";
import { validateLoadBalancerClass } from "./validate-exposure.ts";

const FIXED = "may not change once set";

export function validateServiceUpdate(next: Service, old: Service): Finding[] {
  return [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateLists(next.spec, old.spec, "clusterIPs", "clusterIP"),
    ...validateLists(next.spec, old.spec, "ipFamilies", "ipFamily"),
    ...validateClassChange(next.spec, old.spec),
    ...validateHealthCheckChange(next.spec, old.spec),
    ...validateServiceContent(next, old),
  ];
}

export function prepareServiceUpdate(next: Draft<Service>, old: Service): void {
  next.status = draftOf(old.status);
  if (next.spec.type !== "LoadBalancer") next.status.loadBalancer = {};
  dropTypeDependentFields(next, old);
}

/** Fields that only the old type needed are dropped, unless the update changed them on purpose. */
function dropTypeDependentFields({ spec }: Draft<Service>, { spec: old }: Service): void {
  if (needsClusterIP(old) && !needsClusterIP(spec)) {
    if (isEqual(spec.clusterIPs, old.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (isEqual(spec.ipFamilies, old.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  if (needsNodePort(old) && !needsNodePort(spec) && isEqual(nodePorts(spec), nodePorts(old))) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckNodePort(old) && !needsHealthCheckNodePort(spec)) {
    if (spec.healthCheckNodePort === old.healthCheckNodePort) delete spec.healthCheckNodePort;
  }
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (spec.loadBalancerClass === old.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec)) {
    if (spec.externalTrafficPolicy === old.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  }
}

function nodePorts({ ports = [] }: ServiceSpec): number[] {
  return ports.map((port) => port.nodePort ?? 0).sort((a, b) => a - b);
}

type ListField = "clusterIPs" | "ipFamilies";

function validateLists(
  next: ServiceSpec,
  old: ServiceSpec,
  field: ListField,
  singular: string,
): Finding[] {
  if (next.type === "ExternalName" || old.type === "ExternalName") return [];
  if (isHeadless(next) && isHeadless(old)) return [];
  const [list, before] = [next[field] ?? [], old[field] ?? []];
  const path = `spec.${field}`;
  if (list.length === before.length) {
    return before.flatMap((item, at) =>
      item === list[at] ? [] : [invalid(`${path}[${at}]`, list, FIXED)],
    );
  }
  const primary =
    list.length > 0 && before.length > 0 && list[0] !== before[0]
      ? [invalid(`${path}[0]`, list, FIXED)]
      : [];
  if (list.length > before.length) return primary;
  if (list.length === 0)
    return [invalid(`${path}[0]`, list, `primary ${singular} can not be unset`)];
  if (next.ipFamilyPolicy === "SingleStack") return primary;
  const detail = `must be set to 'SingleStack' when releasing the secondary ${singular}`;
  return [...primary, invalid("spec.ipFamilyPolicy", next.ipFamilyPolicy, detail)];
}

function validateClassChange(next: ServiceSpec, old: ServiceSpec): Finding[] {
  const isBoth = next.type === "LoadBalancer" && old.type === "LoadBalancer";
  const isChanged = isBoth && next.loadBalancerClass !== old.loadBalancerClass;
  return [
    ...(isChanged ? [invalid("spec.loadBalancerClass", next.loadBalancerClass, FIXED)] : []),
    ...validateLoadBalancerClass(next),
  ];
}

function validateHealthCheckChange(next: ServiceSpec, old: ServiceSpec): Finding[] {
  if (!needsHealthCheckNodePort(next) || !needsHealthCheckNodePort(old)) return [];
  if (next.healthCheckNodePort === old.healthCheckNodePort) return [];
  return [forbidden("spec.healthCheckNodePort", IMMUTABLE)];
}
