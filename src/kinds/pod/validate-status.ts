/** Pure: validates the status that a kubelet reports, and what it cannot revert. */
import {
  duplicate,
  type Finding,
  forbidden,
  internal,
  invalid,
  notSupported,
  required,
} from "../../api/finding.ts";
import type {
  Container,
  ContainerExtendedResourceRequest,
  ContainerStatus,
  EphemeralContainerCommon,
  Pod,
  PodSpec,
  ResourceStatus,
} from "../../api/generated/core.ts";
import { dns1123Label, dns1123Subdomain, qualifiedName } from "../../api/names.ts";
import { validateIp } from "../meta/addresses.ts";
import { validateImmutable, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { addressDump } from "./go-dump.ts";
import { parseIp } from "./ip-address.ts";
import { mayRestart } from "./restarts.ts";
import { invalidEach, numericId } from "./syntax.ts";
import { validatePodAnnotations, validatePodAnnotationsUpdate } from "./validate-annotations.ts";

export function validatePodStatusUpdate(next: Pod, old: Pod): Finding[] {
  const { status, spec, metadata } = next;
  const annotations = "metadata.annotations";
  return [
    ...validateObjectMetaUpdate(metadata, old.metadata),
    ...validatePodAnnotationsUpdate(metadata.annotations, old.metadata.annotations, annotations),
    ...(metadata.annotations === old.metadata.annotations
      ? []
      : validatePodAnnotations(metadata.annotations, spec, annotations)),
    ...validateConditions(status),
    ...((spec.nodeName ?? "") === (old.spec.nodeName ?? "")
      ? []
      : [forbidden("status.nodeName", "may not be changed directly")]),
    ...validateNominatedNode(next, old),
    ...validateGeneration(status.observedGeneration, "status.observedGeneration"),
    ...validateImmutable(status.qosClass ?? "", old.status.qosClass ?? "", "status.qosClass"),
    ...validateTransitions(next, old),
    ...validateClaimStatuses(next),
    ...validateExtendedClaim(next),
    ...validatePodIps(status, old.status),
    ...validateHostIps(status, old.status),
    ...LISTS.flatMap((list) => validateUsers(status[list] ?? [], `status.${list}`, spec)),
    ...validateAllocations(next),
  ];
}

const LISTS = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;
const SYSTEM_CONDITIONS = ["PodScheduled", "Ready", "Initialized"];

function validateConditions({ conditions = [] }: Pod["status"]): Finding[] {
  return conditions.flatMap(({ type, observedGeneration }, at) => {
    const path = `status.conditions[${at}]`;
    const problems = SYSTEM_CONDITIONS.includes(type) ? [] : qualifiedName(type);
    return [
      ...validateGeneration(observedGeneration, `${path}.observedGeneration`),
      ...invalidEach(`${path}.Type`, type, problems),
    ];
  });
}

function validateGeneration(generation = 0, field: string): Finding[] {
  return generation < 0 ? [invalid(field, generation, "must be a non-negative integer")] : [];
}

/** The nominated node is irrelevant once the pod is bound. */
function validateNominatedNode(next: Pod, old: Pod): Finding[] {
  const { nominatedNodeName: name = "" } = next.status;
  if (name === "" || name === old.status.nominatedNodeName) return [];
  const field = "status.nominatedNodeName";
  const detail = "may not be set on pods that are already bound to a node";
  return [
    ...invalidEach(field, name, dns1123Subdomain(name)),
    ...((old.spec.nodeName ?? "") === "" ? [] : [forbidden(field, detail)]),
  ];
}

/** A container that has ended permanently cannot run again. */
function validateTransitions(next: Pod, old: Pod): Finding[] {
  const { spec } = old;
  const lists: readonly (readonly [(typeof LISTS)[number], readonly Container[] | undefined])[] = [
    ["containerStatuses", spec.containers ?? []],
    ["initContainerStatuses", spec.initContainers],
    ["ephemeralContainerStatuses", undefined],
  ];
  return lists.flatMap(([list, containers]) =>
    (old.status[list] ?? []).flatMap((before, at) => {
      const ended = before.state.terminated;
      if (ended === undefined) return [];
      const container = containers?.find(({ name }) => name === before.name);
      const isEphemeral = list === "ephemeralContainerStatuses";
      if (!isEphemeral && mayRestart(spec, container, ended.exitCode)) return [];
      const detail = "may not be transitioned to non-terminated state";
      return (next.status[list] ?? [])
        .filter((now) => now.name === before.name && now.state.terminated === undefined)
        .map(() => forbidden(`status.${list}[${at}].state`, detail));
    }),
  );
}

function validateClaimStatuses({ status, spec }: Pod): Finding[] {
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const seen = new Set<string>();
  return (status.resourceClaimStatuses ?? []).flatMap(({ name, resourceClaimName }, at) => {
    const field = `status.resourceClaimStatuses[${at}].name`;
    const findings: Finding[] = [];
    if (!claims.has(name)) {
      const detail = "must match the name of an entry in `spec.resourceClaims`";
      findings.push(invalid(field, name, detail));
    }
    if (seen.has(name)) findings.push(duplicate(field, name));
    seen.add(name);
    if (resourceClaimName === undefined) return findings;
    return [
      ...findings,
      ...invalidEach(field, resourceClaimName, dns1123Subdomain(resourceClaimName)),
    ];
  });
}

/** The claim for the extended resources that a pod requests. */
function validateExtendedClaim({ status, spec }: Pod): Finding[] {
  const claim = status.extendedResourceClaimStatus;
  if (claim === undefined) return [];
  const path = "status.extendedResourceClaimStatus";
  const { requestMappings, resourceClaimName: name } = claim;
  const mappings = requestMappings ?? [];
  const seen = new Set<string>();
  const findings =
    mappings.length > 0
      ? []
      : [required(`${path}.requestMappings`, "at least one request mapping is required")];
  for (const [at, mapping] of mappings.entries()) {
    const here = `${path}.requestMappings[${at}]`;
    const { requestName } = mapping;
    findings.push(
      ...validateMappedResource(mapping, spec, here),
      ...invalidEach(`${path}.requestName`, requestName, dns1123Label(requestName)),
    );
    const key = JSON.stringify([mapping.containerName, mapping.resourceName, requestName]);
    const fields = ["containerName", "resourceName", "requestName"] as const;
    if (seen.has(key)) {
      findings.push(...fields.map((field) => duplicate(`${here}.${field}`, mapping[field])));
    }
    seen.add(key);
  }
  const field = `${path}.resourceClaimName`;
  const ofName = name === "" ? [required(field)] : invalidEach(field, name, dns1123Subdomain(name));
  return [...findings, ...ofName];
}

function validateMappedResource(
  { containerName, resourceName }: ContainerExtendedResourceRequest,
  spec: PodSpec,
  path: string,
): Finding[] {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const container = containers.find(({ name }) => name === containerName);
  if (container === undefined) {
    const detail =
      "must match the name of an entry in spec.initContainers.name or spec.containers.name";
    return [invalid(`${path}.containerName`, containerName, detail)];
  }
  if (container.resources.requests?.[resourceName] !== undefined) return [];
  const detail =
    "must match the extended resource name of an entry in " +
    "spec.initContainers.resources.requests or spec.containers.resources.requests";
  return [invalid(`${path}.resourceName`, resourceName, detail)];
}

type Address = { readonly ip: string };

function validatePodIps({ podIPs = [] }: Pod["status"], old: Pod["status"]): Finding[] {
  return [
    ...validateAddresses(podIPs, old.podIPs, "status.podIPs"),
    ...validateFamilies(podIPs, "status.podIPs"),
  ];
}

function validateHostIps(status: Pod["status"], old: Pod["status"]): Finding[] {
  const { hostIP = "", hostIPs = [] } = status;
  const first = hostIPs[0]?.ip;
  if (first === undefined) return [];
  return [
    ...(first === hostIP
      ? []
      : [invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`")]),
    ...validateAddresses(hostIPs, old.hostIPs, "status.hostIPs"),
    ...validateFamilies(hostIPs, "status.hostIPs"),
  ];
}

/** Addresses accepted before the rule became strict may stay. */
function validateAddresses(
  addresses: readonly Address[],
  old: readonly Address[] = [],
  field: string,
): Finding[] {
  const known = new Set(old.map(({ ip }) => ip));
  return addresses.flatMap(({ ip }, at) =>
    known.has(ip) ? [] : validateIp(ip, `${field}[${at}]`),
  );
}

function validateFamilies(addresses: readonly Address[], field: string): Finding[] {
  if (addresses.length < 2) return [];
  const families = new Set(addresses.map(({ ip }) => parseIp(ip)?.family));
  if (addresses.length === 2 && families.has(4) && families.has(6)) return [];
  const unread = addresses.findIndex(({ ip }) => parseIp(ip) === undefined);
  const unreadable = `invalid IP[${unread}]: ${addresses[unread]?.ip}`;
  const detail = "may specify no more than one IP for each IP family";
  return [
    ...(unread < 0
      ? []
      : [internal(field, `failed to check for dual stack with error:${unreadable}`)]),
    invalid(field, addresses.map(addressDump), detail),
  ];
}

function validateUsers(
  statuses: readonly ContainerStatus[],
  path: string,
  { os }: PodSpec,
): Finding[] {
  return statuses.flatMap(({ user }, at) => {
    const linux = user?.linux;
    const field = `${path}[${at}].user.linux`;
    if (linux === undefined) return [];
    if (os?.name === "windows") return [forbidden(field, "cannot be set for a windows pod")];
    return [
      ...invalidEach(`${field}.uid`, linux.uid, numericId(linux.uid)),
      ...invalidEach(`${field}.gid`, linux.gid, numericId(linux.gid)),
      ...(linux.supplementalGroups ?? []).flatMap((id, index) =>
        invalidEach(`${field}.supplementalGroups[${index}]`, id, numericId(id)),
      ),
    ];
  });
}

/** The devices allocated to a container must be ones it requested. */
function validateAllocations({ status, spec }: Pod): Finding[] {
  const detail = "must not be specified in container status";
  const ofList = (
    list: "containerStatuses" | "initContainerStatuses",
    from: readonly Container[],
  ) =>
    (status[list] ?? []).flatMap((container, at) => {
      const asked = from.find(({ name }) => name === container.name);
      return (container.allocatedResourcesStatus ?? []).flatMap((resource, index) =>
        validateAllocation(
          resource,
          `status.${list}[${at}].allocatedResourcesStatus[${index}]`,
          asked,
        ),
      );
    });
  return [
    ...ofList("containerStatuses", spec.containers ?? []),
    ...ofList("initContainerStatuses", spec.initContainers ?? []),
    ...(status.ephemeralContainerStatuses ?? []).flatMap(({ allocatedResourcesStatus }, at) => {
      if ((allocatedResourcesStatus ?? []).length === 0) return [];
      const field = `status.ephemeralContainerStatuses[${at}].allocatedResourcesStatus`;
      return [forbidden(field, detail)];
    }),
  ];
}

const HEALTH = ["Healthy", "Unhealthy", "Unknown"];

function validateAllocation(
  { name, resources = [] }: ResourceStatus,
  path: string,
  container: Container | EphemeralContainerCommon | undefined,
): Finding[] {
  const findings: Finding[] = [];
  if (container !== undefined && !askedNames(container).has(name)) {
    const detail = name.startsWith("claim:")
      ? "must match one of the container's resource claims in a format " +
        "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
      : "must match one of the container's resource requests";
    findings.push(invalid(`${path}.name`, name, detail));
  }
  const seen = new Set<string>();
  for (const [at, { resourceID, health = "" }] of resources.entries()) {
    const here = `${path}.resources[${at}]`;
    if (!HEALTH.includes(health)) findings.push(notSupported(`${here}.health`, health, HEALTH));
    if (seen.has(resourceID)) findings.push(duplicate(`${here}.resourceID`, resourceID));
    seen.add(resourceID);
  }
  return findings;
}

function askedNames({ resources }: Container | EphemeralContainerCommon): ReadonlySet<string> {
  const claims = (resources.claims ?? []).map(({ name, request }) =>
    request === undefined ? `claim:${name}` : `claim:${name}/${request}`,
  );
  return new Set([...claims, ...Object.keys(resources.requests ?? {})]);
}
