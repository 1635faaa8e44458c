/** Pure: validates the requests and limits of containers and pods. */
import { duplicate, type Finding, forbidden, invalid, required } from "../../api/finding.ts";
import type { PodSpec, ResourceClaim, ResourceRequirements } from "../../api/generated/core.ts";
import { dns1123Label } from "../../api/names.ts";
import {
  getQuantity,
  isInteger,
  isNegative,
  milliUnits,
  parseQuantity,
  wholeUnits,
} from "../../api/quantity.ts";
import {
  hugePageSize,
  isHugePages,
  isIntegerResource,
  isOvercommitAllowed,
  validateContainerResourceName,
  validatePodResourceName,
} from "./resource-names.ts";
import { aggregateResources, compareAmounts, type ResourceList } from "./resources.ts";
import { invalidEach } from "./syntax.ts";

type NameValidation = (name: string, field: string) => Finding[];

export function validateContainerResources(
  resources: ResourceRequirements,
  path: string,
  claimNames: ReadonlySet<string>,
): Finding[] {
  return validateRequirements(resources, path, validateContainerResourceName, claimNames);
}

/** Resources of the pod as a whole, which its containers must fit into. */
export function validatePodResources(
  spec: PodSpec,
  path: string,
  claimNames: ReadonlySet<string>,
): Finding[] {
  const { resources } = spec;
  if (resources === undefined) return [];
  const detail = "claims may not be set for Resources at pod-level";
  return [
    ...(resources.claims === undefined ? [] : [forbidden(`${path}.claims`, detail)]),
    ...validateRequirements(resources, path, validatePodResourceName, claimNames),
    ...validateFit(spec, resources, path),
  ];
}

/** The amount must not be negative, and must be an integer if the resource is counted. */
export function validateResourceAmount(name: string, amount: string, field: string): Finding[] {
  const quantity = getQuantity(amount);
  const findings: Finding[] = [];
  if (isNegative(quantity)) {
    findings.push(invalid(field, amount, "must be greater than or equal to 0"));
  }
  if (isIntegerResource(name) && milliUnits(quantity) % 1000n !== 0n) {
    findings.push(invalid(field, amount, "must be an integer"));
  }
  return findings;
}

function validateRequirements(
  { limits = {}, requests = {}, claims = [] }: ResourceRequirements,
  path: string,
  validateName: NameValidation,
  claimNames: ReadonlySet<string>,
): Finding[] {
  const ofEach = (list: ResourceList, field: string) =>
    sorted(list).flatMap(([name, amount]) => [
      ...validateName(name, `${field}[${name}]`),
      ...validateResourceAmount(name, amount, `${field}[${name}]`),
      ...(field.endsWith(".requests") ? validateRequest(name, amount, { limits, path }) : []),
      ...validateHugePages(name, amount, `${field}[${name}]`),
    ]);
  const findings = [...ofEach(limits, `${path}.limits`), ...ofEach(requests, `${path}.requests`)];
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    findings.push(forbidden(path, "HugePages require cpu or memory"));
  }
  return [...findings, ...validateClaims(claims, `${path}.claims`, claimNames)];
}

function validateRequest(
  name: string,
  amount: string,
  { limits, path }: { readonly limits: ResourceList; readonly path: string },
): Finding[] {
  const limit = limits[name];
  if (limit === undefined) {
    if (isOvercommitAllowed(name)) return [];
    const detail = "Limit must be set for non overcommitable resources";
    return [required(`${path}.limits`, detail)];
  }
  const order = compareAmounts(amount, limit);
  if (order !== 0 && !isOvercommitAllowed(name)) {
    return [invalid(`${path}.requests`, amount, `must be equal to ${name} limit of ${limit}`)];
  }
  if (order <= 0) return [];
  const detail = `must be less than or equal to ${name} limit of ${limit}`;
  return [invalid(`${path}.requests`, amount, detail)];
}

function validateHugePages(name: string, amount: string, field: string): Finding[] {
  if (!isHugePages(name)) return [];
  const size = parseQuantity(hugePageSize(name));
  const isSize = !("problem" in size) && size.nanos > 0n && isInteger(size);
  if (isSize && wholeUnits(getQuantity(amount)) % wholeUnits(size) === 0n) return [];
  return [invalid(field, amount, `${amount} is not positive integer multiple of ${name}`)];
}

function validateClaims(
  claims: readonly ResourceClaim[],
  path: string,
  known: ReadonlySet<string>,
): Finding[] {
  const taken = new Set<string>();
  return claims.flatMap(({ name, request = "" }, at) => {
    const field = `${path}[${at}]`;
    if (name === "") return [required(field)];
    const findings = takeClaim({ name, request }, field, taken);
    if (known.has(name)) return findings;
    const list = known.size === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
    const detail = `must be one of the names in pod.spec.resourceClaims${list}`;
    const message = `Not found: ${JSON.stringify(name)}: ${detail}`;
    return [...findings, { type: "NotFound" as const, field, message }];
  });
}

/** A claim can be used once as a whole, or each of its requests once. */
function takeClaim(
  { name, request }: { readonly name: string; readonly request: string },
  field: string,
  taken: Set<string>,
): Finding[] {
  if (taken.has(name)) return [duplicate(field, name)];
  const key = request === "" ? name : `${name}/${request}`;
  const findings = request === "" ? [] : requestFindings(request, `${field}.request`);
  if (taken.has(key)) findings.push(duplicate(field, key));
  else if (request === "") {
    const overlapping = [...taken].filter((other) => other.startsWith(`${name}/`));
    findings.push(...overlapping.map(() => duplicate(field, name)));
  }
  taken.add(key);
  return findings;
}

function requestFindings(request: string, field: string): Finding[] {
  return invalidEach(field, request, dns1123Label(request));
}

function validateFit(spec: PodSpec, pod: ResourceRequirements, path: string): Finding[] {
  const together = sorted(aggregateResources(spec, "requests")).flatMap(([name, amount]) => {
    const ofPod = pod.requests?.[name];
    if (ofPod === undefined || compareAmounts(amount, ofPod) <= 0) return [];
    const detail = `must be greater than or equal to aggregate container requests of ${amount}`;
    return [invalid(`${path}.requests[${name}]`, ofPod, detail)];
  });
  const alone = (spec.containers ?? []).flatMap(({ resources }, at) =>
    sorted(resources.limits ?? {}).flatMap(([name, limit]) => {
      const ofPod = pod.limits?.[name];
      if (ofPod === undefined || compareAmounts(limit, ofPod) <= 0) return [];
      const detail = `must be less than or equal to pod limits of ${ofPod}`;
      return [invalid(`${path}.containers[${at}][${name}].limits`, limit, detail)];
    }),
  );
  return [...together, ...alone];
}

function sorted(list: ResourceList): [string, string][] {
  return Object.entries(list).sort(([left], [right]) => (left < right ? -1 : 1));
}
