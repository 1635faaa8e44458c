/** Pure: checks that the addresses of a Service and their families are consistent. */
import { duplicate, type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type { ServiceSpec } from "../../api/generated/core.ts";
import { repetitions } from "../../api/repetitions.ts";
import { ipFamily, validateIp } from "../meta/addresses.ts";
import { isHeadless } from "./defaults.ts";

const FAMILIES = ["IPv4", "IPv6"];
const POLICIES = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const PATH = "spec.clusterIPs";

/**
 * Addresses that a Service already has are not validated again, because the rules may have changed.
 */
export function validateClusterAddresses(spec: ServiceSpec, old?: ServiceSpec): Finding[] {
  if (spec.type === "ExternalName") return [];
  const findings = [
    ...validateAlignment(spec),
    ...validateFamilies(spec.ipFamilies),
    ...validatePolicy(spec.ipFamilyPolicy),
  ];
  const { clusterIPs = [] } = spec;
  const malformed = validateEach(clusterIPs, old?.clusterIPs);
  findings.push(...malformed);
  if (clusterIPs.length > 2) {
    findings.push(invalid(PATH, clusterIPs, "may only hold up to 2 values"));
  }
  // The family of a malformed address is unknown, so the remaining checks are skipped.
  if (malformed.length > 0) return findings;
  return [...findings, ...validateDistinct(clusterIPs), ...validateAgainstFamilies(spec)];
}

function validateAlignment({ clusterIP, clusterIPs = [] }: ServiceSpec): Finding[] {
  if (clusterIP === undefined) {
    if (clusterIPs.length === 0) return [];
    return [invalid(PATH, clusterIPs, "must be empty when `clusterIP` is not specified")];
  }
  if (clusterIPs.length === 0) return [required(PATH)];
  if (clusterIPs[0] === clusterIP) return [];
  return [invalid(PATH, clusterIPs, "first value must match `clusterIP`")];
}

function validateFamilies(families: readonly string[] = []): Finding[] {
  const repeated = repetitions(families);
  return families.flatMap((family, at) => [
    ...(FAMILIES.includes(family)
      ? []
      : [notSupported(`spec.ipFamilies[${at}]`, family, FAMILIES)]),
    ...(repeated.has(at) ? [duplicate(`spec.ipFamilies[${at}]`, family)] : []),
  ]);
}

function validatePolicy(policy: string | undefined): Finding[] {
  if (policy === undefined || POLICIES.includes(policy)) return [];
  return [notSupported("spec.ipFamilyPolicy", policy, POLICIES)];
}

function validateEach(clusterIPs: readonly string[], old: readonly string[] = []): Finding[] {
  return clusterIPs.flatMap((ip, at) => {
    if (at > 0 || ip !== "None") return old.includes(ip) ? [] : validateIp(ip, `${PATH}[${at}]`);
    if (clusterIPs.length === 1) return [];
    return [invalid(PATH, clusterIPs, "'None' must be the first and only value")];
  });
}

function validateDistinct(clusterIPs: readonly string[]): Finding[] {
  const families = new Set(clusterIPs.map(ipFamily));
  if (clusterIPs.length < 2 || families.size === clusterIPs.length) return [];
  const detail = "may specify no more than one IP for each IP family";
  return [invalid(PATH, clusterIPs, detail)];
}

function validateAgainstFamilies(spec: ServiceSpec): Finding[] {
  if (isHeadless(spec)) return [];
  return (spec.clusterIPs ?? []).flatMap((ip, at) => {
    const expected = spec.ipFamilies?.[at];
    if (expected === undefined || !FAMILIES.includes(expected)) return [];
    if (expected === ipFamily(ip)) return [];
    const detail = `expected an ${expected} value as indicated by \`ipFamilies[${at}]\``;
    return [invalid(`${PATH}[${at}]`, ip, detail)];
  });
}
