/**
 * Pure: validates a pod spec, in a pod or in a pod template.
 *
 * The parts are in the order in which Kubernetes reports findings. Each part has its own file:
 * validate-volumes, validate-containers, validate-resources, validate-dns, validate-pod-security,
 * validate-affinity, validate-scheduling, validate-windows. Nothing here knows where the spec comes
 * from or what it was before an update: see validate-update.ts.
 */
import { type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type { PodSpec } from "../../api/generated/core.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import { validateLabels } from "../meta/labels.ts";
import { inclusiveRange, invalidEach } from "./syntax.ts";
import { validateAffinity } from "./validate-affinity.ts";
import {
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from "./validate-containers.ts";
import {
  validateDnsConfig,
  validateDnsPolicy,
  validateHostAliases,
  validateHostname,
} from "./validate-dns.ts";
import { validateFileVolumes } from "./validate-env.ts";
import {
  validateHostNetworkPorts,
  validateHostUsers,
  validatePodSecurityContext,
} from "./validate-pod-security.ts";
import { validateContainerResources, validatePodResources } from "./validate-resources.ts";
import {
  validateReadinessGates,
  validateResourceClaims,
  validateSchedulingGates,
  validateTolerations,
  validateTopologySpread,
} from "./validate-scheduling.ts";
import { validateVolumes } from "./validate-volumes.ts";
import { validateHostProcesses, validateOs } from "./validate-windows.ts";
import type { PodIdentity } from "./volume-place.ts";

const INT32_MAX = 2 ** 31 - 1;

export function validatePodSpec(spec: PodSpec, path: string, options: PodIdentity = {}): Finding[] {
  const { terminationGracePeriodSeconds: gracePeriod, restartPolicy = "" } = spec;
  const volumes = validateVolumes(spec.volumes ?? [], `${path}.volumes`, options);
  const claims = spec.resourceClaims ?? [];
  const claimNames = new Set(claims.map(({ name }) => name).filter((name) => name !== ""));
  const surroundings = {
    volumes: volumes.valid,
    claimNames,
    restartPolicy,
    sharesHostUsers: spec.hostUsers !== false,
    gracePeriod,
  };
  return [
    ...(gracePeriod === undefined ? [required(`${path}.terminationGracePeriodSeconds`)] : []),
    ...volumes.findings,
    ...validateResourceClaims(claims, `${path}.resourceClaims`),
    ...validateContainers(spec, path, surroundings),
    ...validateInitContainers(spec, path, surroundings),
    ...validateEphemeralContainers(spec, path, surroundings),
    ...validatePodResources(spec, `${path}.resources`, claimNames),
    ...validateHostNetworkPorts(spec, path, options.isPod === true),
    ...validateRestartPolicy(spec.restartPolicy, `${path}.restartPolicy`),
    ...validateDnsPolicy(spec.dnsPolicy, `${path}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...validatePodSecurityContext(spec, `${path}.securityContext`),
    ...validateAffinity(spec.affinity, `${path}.affinity`),
    ...validateDnsConfig(spec, `${path}.dnsConfig`),
    ...validateReadinessGates(spec.readinessGates ?? [], `${path}.readinessGates`),
    ...validateSchedulingGates(spec.schedulingGates ?? [], `${path}.schedulingGates`),
    ...validateTopologySpread(
      spec.topologySpreadConstraints ?? [],
      `${path}.topologySpreadConstraints`,
    ),
    ...validateHostProcesses(spec, path),
    ...validateHostUsers(spec, path),
    ...validateScalars(spec, path),
    ...validateFileVolumes(spec, path),
  ];
}

function validateScalars(spec: PodSpec, path: string): Finding[] {
  const { runtimeClassName, overhead } = spec;
  return [
    ...validateName(spec.serviceAccountName, `${path}.serviceAccountName`),
    ...validateName(spec.nodeName, `${path}.nodeName`),
    ...validateDeadline(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
    ...validateHostname(spec, path),
    ...validateTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...validateHostAliases(spec.hostAliases ?? [], `${path}.hostAliases`),
    ...validateName(spec.priorityClassName, `${path}.priorityClassName`),
    ...(runtimeClassName === undefined
      ? []
      : invalidEach(
          `${path}.runtimeClassName`,
          runtimeClassName,
          dns1123Subdomain(runtimeClassName),
        )),
    ...validatePreemptionPolicy(spec.preemptionPolicy, `${path}.preemptionPolicy`),
    ...(overhead === undefined
      ? []
      : validateContainerResources({ limits: overhead }, `${path}.overhead`, new Set())),
    ...validateOs(spec, path),
  ];
}

function validateName(name = "", field: string): Finding[] {
  return name === "" ? [] : invalidEach(field, name, dns1123Subdomain(name));
}

function validateDeadline(seconds: number | undefined, field: string): Finding[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= INT32_MAX)) return [];
  return [invalid(field, seconds, inclusiveRange(1, INT32_MAX))];
}

const RESTART_POLICIES = ["Always", "OnFailure", "Never"];

function validateRestartPolicy(policy: string | undefined, field: string): Finding[] {
  if (policy === undefined) return [required(field)];
  return RESTART_POLICIES.includes(policy) ? [] : [notSupported(field, policy, RESTART_POLICIES)];
}

const PREEMPTION_POLICIES = ["PreemptLowerPriority", "Never"];

function validatePreemptionPolicy(policy: string | undefined, field: string): Finding[] {
  if (policy === undefined || PREEMPTION_POLICIES.includes(policy)) return [];
  return policy === "" ? [required(field)] : [notSupported(field, policy, PREEMPTION_POLICIES)];
}
