/**
 * Pure: determines the IP families of a Service on this cluster, before it is validated.
 *
 * A cluster here has addresses of one family. Only a headless Service without a selector may have
 * both, because its endpoints are not managed by the cluster.
 */
import { type Finding, invalid } from "../../api/finding.ts";
import type { Service, ServiceSpec } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { type IpFamily, ipFamily } from "../meta/addresses.ts";
import { isHeadless, needsClusterIP, needsHealthCheckNodePort, needsNodePort } from "./defaults.ts";
import { validateClusterAddresses } from "./validate-addresses.ts";

/** Sets the families and their policy, or returns why that is not possible. */
export function settleFamilies(
  { spec }: Draft<Service>,
  clusterFamily: IpFamily,
  before?: Service,
): Finding[] {
  if (spec.type === "ExternalName") return [];
  if (before && isSettledAsBefore(spec, before.spec)) return [];
  const isUnmanaged = isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= isUnmanaged ? "RequireDualStack" : "SingleStack";
  const malformed = validateClusterAddresses(spec, before?.spec);
  if (malformed.length > 0) return malformed;
  const conflicts = [
    ...(before ? reductionConflicts(spec, before.spec) : []),
    ...policyConflicts(spec),
    ...inferFamilies(spec, clusterFamily),
  ];
  if (conflicts.length > 0) return conflicts;
  if (isUnmanaged) {
    settleUnmanaged(spec, clusterFamily);
    return [];
  }
  const unavailable = availabilityFindings(spec, clusterFamily);
  if (unavailable.length > 0) return unavailable;
  spec.ipFamilies ??= [clusterFamily];
  return [];
}

/** An update that omits allocated addresses keeps them. */
export function keepAllocated({ spec }: Draft<Service>, { spec: old }: Service): void {
  if (needsClusterIP(old) && needsClusterIP(spec)) {
    if (spec.clusterIP === undefined && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP;
    if (old.clusterIPs) spec.clusterIPs ??= [...old.clusterIPs];
    if (old.ipFamilies) spec.ipFamilies ??= [...old.ipFamilies];
    if (old.ipFamilyPolicy !== undefined) spec.ipFamilyPolicy ??= old.ipFamilyPolicy;
  }
  if (needsNodePort(old) && needsNodePort(spec)) keepNodePorts(spec, old);
  if (needsHealthCheckNodePort(old) && needsHealthCheckNodePort(spec)) {
    if (old.healthCheckNodePort !== undefined) spec.healthCheckNodePort ??= old.healthCheckNodePort;
  }
}

/** clusterIP is the first of clusterIPs. A client may know only one of the two fields. */
export function alignClusterIPs({ spec }: Draft<Service>, before?: Service): void {
  const old = before?.spec;
  if (old === undefined) {
    if (spec.clusterIP !== undefined) spec.clusterIPs ??= [spec.clusterIP];
    return;
  }
  if (spec.clusterIP === old.clusterIP) {
    if (old.clusterIPs) spec.clusterIPs ??= [...old.clusterIPs];
    return;
  }
  if (!isSameList(spec.clusterIPs, old.clusterIPs)) return;
  if (spec.clusterIP === undefined) delete spec.clusterIPs;
  else spec.clusterIPs = [spec.clusterIP];
}

export function isSameList(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

function keepNodePorts(spec: Draft<ServiceSpec>, old: ServiceSpec): void {
  const ports = spec.ports ?? [];
  const oldPorts = old.ports ?? [];
  const asked = new Set(ports.map((port) => port.nodePort));
  for (const port of ports) {
    if (port.nodePort !== undefined) continue;
    const known = oldPorts.findLast(({ name = "" }) => name === (port.name ?? ""))?.nodePort;
    if (known !== undefined && !asked.has(known)) port.nodePort = known;
  }
}

function inferFamilies(spec: Draft<ServiceSpec>, clusterFamily: IpFamily): Finding[] {
  if (isHeadless(spec)) return [];
  const { clusterIPs = [] } = spec;
  return clusterIPs.flatMap((ip, at) => {
    const family = ipFamily(ip);
    if (family === undefined || (spec.ipFamilies?.length ?? 0) > at) return [];
    if (family !== clusterFamily) {
      const detail = `${family} is not configured on this cluster`;
      return [invalid(`spec.clusterIPs[${at}]`, clusterIPs, detail)];
    }
    spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    return [];
  });
}

/** If the families of the cluster change, a Service with PreferDualStack keeps those it has. */
function isSettledAsBefore(spec: ServiceSpec, old: ServiceSpec): boolean {
  return (
    spec.type === old.type &&
    spec.ipFamilyPolicy === "PreferDualStack" &&
    old.ipFamilyPolicy === "PreferDualStack" &&
    isSameList(spec.clusterIPs, old.clusterIPs) &&
    isSameList(spec.ipFamilies, old.ipFamilies)
  );
}

/** The second address and family may be dropped only if the policy becomes SingleStack. */
function reductionConflicts(spec: Draft<ServiceSpec>, old: ServiceSpec): Finding[] {
  const lists = { clusterIPs: "cluster IP", ipFamilies: "IP family" } as const;
  const fields = ["clusterIPs", "ipFamilies"] as const;
  return fields.flatMap((field) => {
    const [list = [], before = []] = [spec[field], old[field]];
    if (spec.ipFamilyPolicy === "SingleStack") {
      if (isSameList(list, before) && list.length > 1) spec[field] = list.slice(0, 1);
      return [];
    }
    if (list.length === 0 || list.length >= before.length) return [];
    const detail = `must be 'SingleStack' to release the secondary ${lists[field]}`;
    return [invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, detail)];
  });
}

function policyConflicts({ ipFamilyPolicy, clusterIPs, ipFamilies }: ServiceSpec): Finding[] {
  if (ipFamilyPolicy !== "SingleStack") return [];
  const lists = { "cluster IPs": clusterIPs, "IP families": ipFamilies };
  const rule = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  return Object.entries(lists)
    .filter(([, list]) => list?.length === 2)
    .map(([what]) =>
      invalid("spec.ipFamilyPolicy", ipFamilyPolicy, `${rule} ${what} are specified`),
    );
}

function settleUnmanaged(spec: Draft<ServiceSpec>, clusterFamily: IpFamily): void {
  const [first = clusterFamily, ...rest] = spec.ipFamilies ?? [];
  const other = first === "IPv4" ? "IPv6" : "IPv4";
  const isSingle = rest.length > 0 || spec.ipFamilyPolicy === "SingleStack";
  spec.ipFamilies = isSingle ? [first, ...rest] : [first, other];
}

function availabilityFindings(spec: ServiceSpec, clusterFamily: IpFamily): Finding[] {
  const findings: Finding[] = [];
  if (spec.ipFamilyPolicy === "RequireDualStack") {
    const detail = "this cluster is not configured for dual-stack services";
    findings.push(invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, detail));
  }
  const unavailable = (spec.ipFamilies ?? []).flatMap((family, at) =>
    family === clusterFamily
      ? []
      : [invalid(`spec.ipFamilies[${at}]`, family, "not configured on this cluster")],
  );
  return [...findings, ...unavailable];
}
