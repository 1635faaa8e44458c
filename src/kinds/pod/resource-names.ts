/** Pure: the names of resources and their properties. */
import { type Finding, invalid, notSupported } from "../../api/finding.ts";
import { qualifiedName } from "../../api/names.ts";
import { invalidEach } from "./syntax.ts";

const HUGE_PAGES_PREFIX = "hugepages-";
const CONTAINER_RESOURCES: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

/** Resources that are counted in whole units. */
const COUNTED_RESOURCES: ReadonlySet<string> = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

const STANDARD_RESOURCES: ReadonlySet<string> = new Set([
  ...CONTAINER_RESOURCES,
  ...[...CONTAINER_RESOURCES].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...COUNTED_RESOURCES,
  "storage",
  "requests.storage",
]);

export function isHugePages(name: string): boolean {
  return name.startsWith(HUGE_PAGES_PREFIX);
}

/** "2Mi" of "hugepages-2Mi". */
export function hugePageSize(name: string): string {
  return name.slice(HUGE_PAGES_PREFIX.length);
}

/** Kubernetes' own resources: without a domain, or in kubernetes.io. */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Whether a container's request may be lower than its limit. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** A resource of a device plugin: "example.com/gpu". A quota must be able to name it, too. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith("requests.")) return false;
  return qualifiedName(`requests.${name}`).length === 0;
}

export function isIntegerResource(name: string): boolean {
  return COUNTED_RESOURCES.has(name) || isExtendedResource(name);
}

/** The resources that can be requested for a whole pod. */
export function isPodLevelResource(name: string): boolean {
  return name === "cpu" || name === "memory" || isHugePages(name);
}

export function validateResourceName(name: string, field: string): Finding[] {
  const problems = qualifiedName(name);
  if (problems.length > 0) return invalidEach(field, name, problems);
  if (name.includes("/") || STANDARD_RESOURCES.has(name) || isHugePages(name)) return [];
  return [invalid(field, name, "must be a standard resource type or fully qualified")];
}

export function validateContainerResourceName(name: string, field: string): Finding[] {
  const findings = validateResourceName(name, field);
  if (!name.includes("/")) {
    if (CONTAINER_RESOURCES.has(name) || isHugePages(name)) return findings;
    return [...findings, invalid(field, name, "must be a standard resource for containers")];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return findings;
  return [...findings, invalid(field, name, "doesn't follow extended resource name standard")];
}

export function validatePodResourceName(name: string, field: string): Finding[] {
  const findings = validateResourceName(name, field);
  if (findings.length > 0 || isPodLevelResource(name)) return findings;
  return [notSupported(field, name, ["cpu", HUGE_PAGES_PREFIX, "memory"])];
}
