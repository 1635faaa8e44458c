/** Pure: validates references to the pod's own fields and resources, in variables and files. */
import { type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type { ObjectFieldSelector, ResourceFieldSelector } from "../../api/generated/core.ts";
import { qualifiedName } from "../../api/names.ts";
import { getQuantity, isZero } from "../../api/quantity.ts";
import { invalidEach } from "./syntax.ts";

export const ENVIRONMENT_FIELDS: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

export const VOLUME_FIELDS: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...ENVIRONMENT_FIELDS,
  ...VOLUME_FIELDS,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);

export function validateFieldRef(
  { apiVersion = "", fieldPath }: ObjectFieldSelector,
  supported: readonly string[],
  path: string,
): Finding[] {
  if (apiVersion === "") return [required(`${path}.apiVersion`)];
  if (fieldPath === "") return [required(`${path}.fieldPath`)];
  const refused = (problem: string) => [
    invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${problem}`),
  ];
  if (apiVersion !== "v1") return refused(`unsupported pod version: ${apiVersion}`);
  const subscripted = parseSubscript(fieldPath);
  if (subscripted !== undefined) {
    const { map, key } = subscripted;
    const name = map === "metadata.annotations" ? key.toLowerCase() : key;
    if (SUBSCRIPTED.has(map)) return invalidEach(path, name, qualifiedName(name));
    return refused(`field label does not support subscript: ${fieldPath}`);
  }
  // The former name of spec.nodeName.
  const field = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  if (!KNOWN_FIELDS.has(field)) return refused(`field label not supported: ${fieldPath}`);
  return supported.includes(field) ? [] : [notSupported(`${path}.fieldPath`, field, supported)];
}

const SUBSCRIPTED: ReadonlySet<string> = new Set(["metadata.annotations", "metadata.labels"]);

/** "metadata.labels['app']" refers to the key "app" of metadata.labels. */
function parseSubscript(fieldPath: string): { map: string; key: string } | undefined {
  const open = fieldPath.indexOf("['");
  if (open < 1 || !fieldPath.endsWith("']") || open > fieldPath.length - 4) return undefined;
  return { map: fieldPath.slice(0, open), key: fieldPath.slice(open + 2, -2) };
}

const RESOURCES: readonly string[] = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

const HUGE_PAGES = /^(requests|limits)\.hugepages-/;

export interface ResourceFieldPlace {
  readonly field: string;
  /** A variable refers to its own container by default; a file must name one. */
  readonly needsContainer: boolean;
}

export function validateResourceFieldRef(
  reference: ResourceFieldSelector,
  { field, needsContainer }: ResourceFieldPlace,
): Finding[] {
  const { containerName = "", resource, divisor } = reference;
  const findings: Finding[] = [];
  if (needsContainer && containerName === "") findings.push(required(`${field}.containerName`));
  else if (resource === "") findings.push(required(`${field}.resource`));
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) {
    findings.push(notSupported(`${field}.resource`, resource, RESOURCES));
  }
  return [...findings, ...validateDivisor(resource, divisor, `${field}.divisor`)];
}

const BYTE_DIVISORS = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei".split(", ");

function validateDivisor(resource: string, divisor: string | undefined, field: string): Finding[] {
  if (divisor === undefined || isZero(getQuantity(divisor))) return [];
  const measured = measuredBy(resource);
  if (measured === undefined || measured.divisors.includes(divisor)) return [];
  const list = measured.divisors.length === 2 ? "1m and 1" : measured.divisors.join(", ");
  const detail = `only divisor's values ${list} are supported with the ${measured.name} resource`;
  return [invalid(field, resource, detail)];
}

function measuredBy(
  resource: string,
): { readonly name: string; readonly divisors: readonly string[] } | undefined {
  if (HUGE_PAGES.test(resource)) return { name: "hugepages", divisors: BYTE_DIVISORS };
  if (!RESOURCES.includes(resource)) return undefined;
  if (resource.endsWith(".cpu")) return { name: "cpu", divisors: ["1m", "1"] };
  if (resource.endsWith(".memory")) return { name: "memory", divisors: BYTE_DIVISORS };
  return { name: "local ephemeral storage", divisors: BYTE_DIVISORS };
}
