/** Pure: warnings about fields of a Service that are accepted but have no effect. */
import type { Service } from "../../api/generated/core.ts";
import { ipWarnings } from "../meta/addresses.ts";
import { isHeadless } from "./defaults.ts";
import { TOPOLOGY_HINTS } from "./validate.ts";

export function serviceWarnings({ metadata, spec }: Service): string[] {
  const { externalIPs = [], externalName, loadBalancerIP } = spec;
  const warnings: string[] = [];
  if (metadata.annotations?.[TOPOLOGY_HINTS] !== undefined) {
    const instead = "service.kubernetes.io/topology-mode";
    warnings.push(`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${instead} instead`);
  }
  if (isHeadless(spec)) {
    const ignored = {
      loadBalancerIP: loadBalancerIP !== undefined,
      externalIPs: externalIPs.length > 0,
      SessionAffinity: spec.sessionAffinity !== "None",
    };
    for (const [field, isIgnored] of Object.entries(ignored)) {
      if (isIgnored) warnings.push(`spec.${field} is ignored for headless services`);
    }
  }
  warnings.push(...externalIPs.flatMap((ip, at) => ipWarnings(ip, `spec.externalIPs[${at}]`)));
  if (loadBalancerIP !== undefined) {
    warnings.push(...ipWarnings(loadBalancerIP, "spec.loadBalancerIP"));
  }
  if (externalIPs.length > 0 && !isHeadless(spec) && spec.type !== "ExternalName") {
    const rest = "is deprecated and may no longer be implemented in some clusters";
    warnings.push(`spec.externalIPs ${rest}`);
  }
  if (spec.type === "ExternalName" && externalIPs.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (spec.type !== "ExternalName" && externalName !== undefined) {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === "PreferClose") {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}
