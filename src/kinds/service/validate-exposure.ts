/**
 * Pure: validates external access to a Service: source ranges, load balancers, traffic policies.
 */
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import type { Service, ServiceSpec } from "../../api/generated/core.ts";
import { qualifiedName } from "../../api/names.ts";
import { validateCidr } from "../meta/addresses.ts";
import { invalidEach, portNumber } from "../pod/syntax.ts";
import {
  hasInternalTraffic,
  isExternallyAccessible,
  needsHealthCheckNodePort,
} from "./defaults.ts";

const SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const TRAFFIC_POLICIES = ["Cluster", "Local"];
const DISTRIBUTIONS = ["PreferClose", "PreferSameZone", "PreferSameNode"];

export function validateExposure(service: Service): Finding[] {
  const { spec } = service;
  return [
    ...validateSourceRanges(service),
    ...validateNodePortAllocation(spec),
    ...validateLoadBalancerClass(spec),
    ...validateExternalTraffic(spec),
    ...validateHealthCheck(spec),
    ...validateInternalTraffic(spec),
    ...validateDistribution(spec.trafficDistribution),
  ];
}

export function validateLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec): Finding[] {
  if (loadBalancerClass === undefined) return [];
  const path = "spec.loadBalancerClass";
  if (type !== "LoadBalancer") return [forbidden(path, ONLY_LOAD_BALANCER)];
  return invalidEach(path, loadBalancerClass, qualifiedName(loadBalancerClass));
}

function validateSourceRanges({ metadata, spec }: Service): Finding[] {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length > 0) {
    const path = "spec.LoadBalancerSourceRanges";
    return [
      ...(spec.type === "LoadBalancer" ? [] : [forbidden(path, ONLY_LOAD_BALANCER)]),
      // Spaces around a range are accepted, because all ranges were once in one annotation.
      ...ranges.flatMap((range, at) => validateCidr(range.trim(), `${path}[${at}]`)),
    ];
  }
  const annotation = metadata.annotations?.[SOURCE_RANGES];
  if (annotation === undefined) return [];
  const path = `metadata.annotations[${SOURCE_RANGES}]`;
  const list = annotation.trim() === "" ? [] : annotation.split(",");
  return [
    ...(spec.type === "LoadBalancer" ? [] : [forbidden(path, ONLY_LOAD_BALANCER)]),
    ...list.flatMap((range) => validateCidr(range.trim(), path)),
  ];
}

function validateNodePortAllocation(spec: ServiceSpec): Finding[] {
  const path = "spec.allocateLoadBalancerNodePorts";
  const isGiven = spec.allocateLoadBalancerNodePorts !== undefined;
  if (spec.type === "LoadBalancer") return isGiven ? [] : [required(path)];
  return isGiven ? [forbidden(path, ONLY_LOAD_BALANCER)] : [];
}

function validateExternalTraffic(spec: ServiceSpec): Finding[] {
  const { externalTrafficPolicy: policy } = spec;
  const path = "spec.externalTrafficPolicy";
  if (!isExternallyAccessible(spec)) {
    if (policy === undefined) return [];
    return [invalid(path, policy, "may only be set for externally-accessible services")];
  }
  if (policy === undefined) return [required(path)];
  return TRAFFIC_POLICIES.includes(policy) ? [] : [notSupported(path, policy, TRAFFIC_POLICIES)];
}

/** If a port is needed and not specified, it is allocated after validation. */
function validateHealthCheck(spec: ServiceSpec): Finding[] {
  const { healthCheckNodePort: port } = spec;
  if (port === undefined) return [];
  const path = "spec.healthCheckNodePort";
  if (needsHealthCheckNodePort(spec)) return invalidEach(path, port, portNumber(port));
  const conditions = "`type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalid(path, port, `may only be set when ${conditions}`)];
}

function validateInternalTraffic(spec: ServiceSpec): Finding[] {
  const { internalTrafficPolicy: policy } = spec;
  const path = "spec.internalTrafficPolicy";
  if (policy === undefined) return hasInternalTraffic(spec) ? [required(path)] : [];
  return TRAFFIC_POLICIES.includes(policy) ? [] : [notSupported(path, policy, TRAFFIC_POLICIES)];
}

function validateDistribution(distribution: string | undefined): Finding[] {
  if (distribution === undefined || DISTRIBUTIONS.includes(distribution)) return [];
  return [notSupported("spec.trafficDistribution", distribution, DISTRIBUTIONS)];
}
