/** Pure: validates the security context of a pod, and the host namespaces it shares. */
import {
  duplicate,
  type Finding,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../api/finding.ts";
import type { PodSpec, Sysctl } from "../../api/generated/core.ts";
import { invalidEach, numericId } from "./syntax.ts";
import {
  validateAppArmorProfile,
  validateId,
  validateSeccompProfile,
} from "./validate-security-context.ts";
import { validateWindowsOptions } from "./validate-windows.ts";
import { visitContainers } from "./visit-containers.ts";

export function validatePodSecurityContext(spec: PodSpec, path: string): Finding[] {
  const { securityContext: context = {} } = spec;
  const groups = context.supplementalGroups ?? [];
  return [
    ...validateId(context.fsGroup, `${path}.fsGroup`),
    ...validateId(context.runAsUser, `${path}.runAsUser`),
    ...validateId(context.runAsGroup, `${path}.runAsGroup`),
    ...groups.flatMap((id, at) =>
      invalidEach(`${path}.supplementalGroups[${at}]`, id, numericId(id)),
    ),
    ...validateProcessNamespace(spec, `${path}.shareProcessNamespace`),
    ...validateSysctls(context.sysctls ?? [], `${path}.sysctls`, spec),
    ...oneOf(
      context.fsGroupChangePolicy,
      ["Always", "OnRootMismatch"],
      `${path}.fsGroupChangePolicy`,
    ),
    ...validateSeccompProfile(context.seccompProfile, `${path}.seccompProfile`),
    ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...validateAppArmorProfile(context.appArmorProfile, `${path}.appArmorProfile`),
    ...oneOf(
      context.supplementalGroupsPolicy,
      ["Merge", "Strict"],
      `${path}.supplementalGroupsPolicy`,
    ),
    // Mounting with the right SELinux label is a feature that is off by default.
    ...oneOf(context.seLinuxChangePolicy, ["Recursive"], `${path}.seLinuxChangePolicy`),
  ];
}

/**
 * A pod with its own user namespace cannot share other namespaces of the host, nor use raw devices.
 */
export function validateHostUsers(spec: PodSpec, path: string): Finding[] {
  if (spec.hostUsers !== false) return [];
  const detail = "when `hostUsers` is false";
  const shared = { hostNetwork: spec.hostNetwork, HostPID: spec.hostPID, HostIPC: spec.hostIPC };
  const namespaces = Object.entries(shared).filter(([, isShared]) => isShared);
  const withDevices = visitContainers(spec, path).filter(
    ({ container }) => (container.volumeDevices ?? []).length > 0,
  );
  return [
    ...namespaces.map(([field]) => forbidden(`${path}.${field}`, detail)),
    ...withDevices.map((visited) => forbidden(`${visited.path}.volumeDevices`, detail)),
  ];
}

/** With host networking, ports cannot be mapped. */
export function validateHostNetworkPorts(spec: PodSpec, path: string, isPod: boolean): Finding[] {
  if (!spec.hostNetwork) return [];
  const detail = "must match `containerPort` when `hostNetwork` is true";
  return (spec.containers ?? []).flatMap(({ ports = [] }, at) =>
    ports.flatMap(({ hostPort = 0, containerPort }, index) => {
      if (hostPort === containerPort || (hostPort === 0 && !isPod)) return [];
      const field = `${path}.containers[${at}].ports[${index}].hostPort`;
      return [invalid(field, hostPort, detail)];
    }),
  );
}

function validateProcessNamespace(spec: PodSpec, field: string): Finding[] {
  if (!spec.hostPID || !spec.shareProcessNamespace) return [];
  return [invalid(field, true, "ShareProcessNamespace and HostPID cannot both be enabled")];
}

const SYSCTL_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const SYSCTL_PATTERN = `^(${SYSCTL_SEGMENT}[\\./])*${SYSCTL_SEGMENT}$`;
const sysctlName = new RegExp(SYSCTL_PATTERN);
const SYSCTL_MAX = 253;

function validateSysctls(sysctls: readonly Sysctl[], path: string, spec: PodSpec): Finding[] {
  const names = new Set<string>();
  return sysctls.flatMap(({ name }, at) => {
    const field = `${path}[${at}].name`;
    const findings: Finding[] = [];
    if (name === "") findings.push(required(field));
    else if (name.length > SYSCTL_MAX || !sysctlName.test(name)) {
      const rule = `must have at most ${SYSCTL_MAX} characters and match regex ${SYSCTL_PATTERN}`;
      findings.push(invalid(field, name, rule));
    } else if (names.has(name)) findings.push(duplicate(field, name));
    names.add(name);
    const shared = sharedBy(name, spec);
    if (shared)
      findings.push(invalid(field, name, `may not be specified when '${shared}' is true`));
    return findings;
  });
}

/** The field by which the pod shares the host namespace that a sysctl belongs to. */
function sharedBy(sysctl: string, spec: PodSpec): string | undefined {
  const name = sysctl.replaceAll("/", ".");
  if (spec.hostNetwork && name.startsWith("net.")) return "hostNetwork";
  const isIpc = /^(kernel\.(shm|msg)|fs\.mqueue\.)/.test(name) || name === "kernel.sem";
  return spec.hostIPC && isIpc ? "hostIPC" : undefined;
}

function oneOf(value: string | undefined, supported: readonly string[], field: string): Finding[] {
  return value === undefined || supported.includes(value)
    ? []
    : [notSupported(field, value, supported)];
}
