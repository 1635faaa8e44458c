/** Pure: what a kubelet may report, and what it cannot take back. */
import { duplicate, type Finding, forbidden, invalid, notSupported } from "../../api/finding.ts";
import type {
  Container,
  ContainerStatus,
  EphemeralContainerCommon,
  Pod,
  PodSpec,
  ResourceStatus,
} from "../../api/generated/core.ts";
import { dns1123Subdomain, qualifiedName } from "../../api/names.ts";
import { validateImmutable, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { addressDump } from "./go-dump.ts";
import { parseIp, validateIp } from "./ip-address.ts";
import { mayRestart } from "./restarts.ts";
import { invalidEach, numericId } from "./syntax.ts";
import { validatePodAnnotations, validatePodAnnotationsUpdate } from "./validate-annotations.ts";

export function validatePodStatusUpdate(next: Pod, old: Pod): Finding[] {
  const { status, spec, metadata } = next;
  const annotations = "metadata.annotations";
  return [
    ...validateObjectMetaUpdate(metadata, old.metadata),
    ...validatePodAnnotationsUpdate(metadata.annotations, old.metadata.annotations, annotations),
    ...validatePodAnnotations(metadata.annotations, spec, annotations),
    ...validateConditions(status),
    ...((spec.nodeName ?? "") === (old.spec.nodeName ?? "")
      ? []
      : [forbidden("status.nodeName", "may not be changed directly")]),
    ...validateNominatedNode(next, old),
    ...validateGeneration(status.observedGeneration, "status.observedGeneration"),
    ...validateImmutable(status.qosClass ?? "", old.status.qosClass ?? "", "status.qosClass"),
    ...validateTransitions(next, old),
    ...validateClaimStatuses(next),
    ...validatePodIps(status),
    ...validateHostIps(status),
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

/** Where a pod is to go is of no more interest once it is there. */
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

/** A container that ended for good cannot run again. */
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

type Address = { readonly ip: string };

function validatePodIps({ podIPs = [] }: Pod["status"]): Finding[] {
  return [
    ...podIPs.flatMap(({ ip }, at) => validateIp(ip, `status.podIPs[${at}]`)),
    ...validateFamilies(podIPs, "status.podIPs"),
  ];
}

function validateHostIps({ hostIP = "", hostIPs = [] }: Pod["status"]): Finding[] {
  const first = hostIPs[0]?.ip;
  if (first === undefined) return [];
  return [
    ...(first === hostIP
      ? []
      : [invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`")]),
    ...hostIPs.flatMap(({ ip }, at) => validateIp(ip, `status.hostIPs[${at}]`)),
    ...validateFamilies(hostIPs, "status.hostIPs"),
  ];
}

function validateFamilies(addresses: readonly Address[], field: string): Finding[] {
  if (addresses.length < 2) return [];
  const families = new Set(addresses.map(({ ip }) => parseIp(ip)?.family));
  if (addresses.length === 2 && families.has(4) && families.has(6)) return [];
  const detail = "may specify no more than one IP for each IP family";
  return [invalid(field, addresses.map(addressDump), detail)];
}

function validateUsers(
  statuses: readonly ContainerStatus[],
  path: string,
  { os }: PodSpec,
): Finding[] {
  return statuses.flatMap(({ user }, at) => {
    const linux = user?.linux;
    const field = `${path}[${at}].linux`;
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

/** The devices a container got must be ones it asked for. */
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
