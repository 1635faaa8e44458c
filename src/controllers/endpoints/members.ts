/** Pure: which pods belong to a Service, and how each of them appears in its endpoints. */
import type { Pod, Service } from "../../api/generated/core.ts";

export type Family = "IPv4" | "IPv6";

/**
 * Undefined for Services without a selector and for ExternalName: their endpoints are not managed
 * here.
 */
export function selectorOf({ spec }: Service): { readonly [label: string]: string } | undefined {
  if (spec.type === "ExternalName") return undefined;
  const { selector = {} } = spec;
  return Object.keys(selector).length > 0 ? selector : undefined;
}

export function isSelected({ metadata }: Pod, selector: { readonly [label: string]: string }) {
  const { labels = {} } = metadata;
  return Object.entries(selector).every(([label, value]) => labels[label] === value);
}

/** True if the pod has an address and has not ended. */
export function isReachable({ status }: Pod): boolean {
  if (status.phase === "Succeeded" || status.phase === "Failed") return false;
  return (status.podIP ?? "") !== "" || (status.podIPs ?? []).length > 0;
}

export function isReady({ status }: Pod): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: is }) => type === "Ready" && is === "True",
  );
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether pods count as ready regardless of their Ready condition. */
export function publishesUnready({ spec }: Service): boolean {
  return spec.publishNotReadyAddresses === true;
}

export function isHeadless({ spec }: Service): boolean {
  return (spec.clusterIP ?? "") === "" || spec.clusterIP === "None";
}

/** The hostname by which the pod has a DNS name below that of the Service. */
export function hostnameIn({ metadata }: Service, { spec }: Pod): string | undefined {
  return spec.subdomain === metadata.name && spec.hostname ? spec.hostname : undefined;
}

export function familiesOf({ spec }: Service): readonly Family[] {
  const { ipFamilies = [] } = spec;
  return ipFamilies.length > 0 ? (ipFamilies as readonly Family[]) : ["IPv4"];
}

export function addressesOf({ status }: Pod, family: Family): readonly string[] {
  const all = (status.podIPs ?? []).map(({ ip }) => ip);
  const known = all.length > 0 ? all : [status.podIP ?? ""];
  return known.filter((ip) => ip !== "" && familyOf(ip) === family && !isNodesOwn(ip));
}

/**
 * A pod with host networking on a node whose address is loopback. Endpoints must not have such an
 * address: the server would reject the whole object, including the other addresses.
 */
function isNodesOwn(ip: string): boolean {
  return ip === "127.0.0.1" || ip === "::1";
}

function familyOf(ip: string): Family {
  return ip.includes(":") ? "IPv6" : "IPv4";
}
