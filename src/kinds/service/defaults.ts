/** Pure: the defaults of a Service, and properties that follow from its type. */
import type { Service, ServiceSpec } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";

const CLIENT_AFFINITY_SECONDS = 10800;

export function setDefaults({ spec, status }: Draft<Service>): void {
  setAffinityDefaults(spec);
  spec.type ??= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ??= "TCP";
    // Zero and the empty text mean "not set" in an int-or-string field.
    if (!port.targetPort) port.targetPort = port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= "Cluster";
  if (hasInternalTraffic(spec)) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status.loadBalancer.ingress ?? []) {
    if (ingress.ip !== undefined) ingress.ipMode ??= "VIP";
  }
}

function setAffinityDefaults(spec: Draft<ServiceSpec>): void {
  spec.sessionAffinity ??= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== "ClientIP") return;
  if (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds !== undefined) return;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: CLIENT_AFFINITY_SECONDS } };
}

/** A headless Service has no cluster IP; clients connect to its endpoints directly. */
export function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === "None";
}

export function isExternallyAccessible({ type, externalIPs = [] }: ServiceSpec): boolean {
  if (type === "LoadBalancer" || type === "NodePort") return true;
  return type === "ClusterIP" && externalIPs.length > 0;
}

/** All Services except ExternalName, even with an unknown type. */
export function needsClusterIP({ type }: ServiceSpec): boolean {
  return type !== "ExternalName";
}

export function hasInternalTraffic({ type }: ServiceSpec): boolean {
  return type === "ClusterIP" || type === "NodePort" || type === "LoadBalancer";
}

export function needsNodePort(spec: ServiceSpec): boolean {
  if (spec.type === "NodePort") return true;
  return spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false;
}

export function needsHealthCheckNodePort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}
