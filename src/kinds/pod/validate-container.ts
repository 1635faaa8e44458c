/** Pure: the rules of all types of containers. */
import { duplicate, type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  EphemeralContainerCommon,
  VolumeSource,
} from "../../api/generated/core.ts";
import { dns1123Label } from "../../api/names.ts";
import { invalidEach, portName, portNumber } from "./syntax.ts";
import { validateEnv, validateEnvFrom } from "./validate-env.ts";
import { validatePullPolicy } from "./validate-image.ts";
import { validateVolumeDevices, validateVolumeMounts } from "./validate-mounts.ts";
import { validateContainerResources } from "./validate-resources.ts";
import { validateSecurityContext } from "./validate-security-context.ts";

/** The properties of a pod that the rules of its containers need. */
export interface ContainerSurroundings {
  readonly volumes: ReadonlyMap<string, VolumeSource>;
  readonly claimNames: ReadonlySet<string>;
  readonly restartPolicy: string;
  readonly sharesHostUsers: boolean;
  readonly gracePeriod: number | undefined;
}

export function validateContainer(
  container: Container | EphemeralContainerCommon,
  path: string,
  pod: ContainerSurroundings,
): Finding[] {
  const { name, image = "" } = container;
  const { volumes, claimNames } = pod;
  return [
    ...(name === ""
      ? [required(`${path}.name`)]
      : invalidEach(`${path}.name`, name, dns1123Label(name))),
    ...(image === "" ? [required(`${path}.image`)] : []),
    ...validateMessagePolicy(container.terminationMessagePolicy, path),
    ...validatePorts(container.ports ?? [], `${path}.ports`),
    ...validateEnv(container.env ?? [], `${path}.env`),
    ...validateEnvFrom(container.envFrom ?? [], `${path}.envFrom`),
    ...validateVolumeMounts(container, `${path}.volumeMounts`, volumes),
    ...validateVolumeDevices(container, `${path}.volumeDevices`, volumes),
    ...validatePullPolicy(container.imagePullPolicy, `${path}.imagePullPolicy`),
    ...validateContainerResources(container.resources, `${path}.resources`, claimNames),
    ...validateResizePolicy(
      container.resizePolicy ?? [],
      `${path}.resizePolicy`,
      pod.restartPolicy,
    ),
    ...validateSecurityContext(
      container.securityContext,
      `${path}.securityContext`,
      pod.sharesHostUsers,
    ),
  ];
}

/** Templates written before this rule must stay valid, but pods need not. */
export function validateImageSpaces(
  container: Container | EphemeralContainerCommon,
  path: string,
): Finding[] {
  const { image = "" } = container;
  if (image === image.trim()) return [];
  return [invalid(`${path}.image`, image, "must not have leading or trailing whitespace")];
}

const MESSAGE_POLICIES = ["File", "FallbackToLogsOnError"];

function validateMessagePolicy(policy: string | undefined, path: string): Finding[] {
  const field = `${path}.terminationMessagePolicy`;
  if (policy === undefined) return [required(field)];
  return MESSAGE_POLICIES.includes(policy) ? [] : [notSupported(field, policy, MESSAGE_POLICIES)];
}

const PROTOCOLS = ["SCTP", "TCP", "UDP"];

function validatePorts(ports: readonly ContainerPort[], path: string): Finding[] {
  const names = new Set<string>();
  return ports.flatMap((port, at) => {
    const { name = "", containerPort, hostPort = 0, protocol } = port;
    const here = `${path}[${at}]`;
    const findings: Finding[] = [];
    if (name !== "") findings.push(...validatePortName(name, `${here}.name`, names));
    if (containerPort === 0) findings.push(required(`${here}.containerPort`));
    else {
      const problems = portNumber(containerPort);
      findings.push(...invalidEach(`${here}.containerPort`, containerPort, problems));
    }
    if (hostPort !== 0) {
      findings.push(...invalidEach(`${here}.hostPort`, hostPort, portNumber(hostPort)));
    }
    if (protocol === undefined) findings.push(required(`${here}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) {
      findings.push(notSupported(`${here}.protocol`, protocol, PROTOCOLS));
    }
    return findings;
  });
}

function validatePortName(name: string, field: string, taken: Set<string>): Finding[] {
  const problems = portName(name);
  if (problems.length > 0) return invalidEach(field, name, problems);
  if (taken.has(name)) return [duplicate(field, name)];
  taken.add(name);
  return [];
}

const RESIZABLE = ["cpu", "memory"];
const RESIZE_POLICIES = ["NotRequired", "RestartContainer"];

/** A container that never restarts cannot be resized by a restart. Only the pod's policy counts. */
function validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  path: string,
  podRestartPolicy: string,
): Finding[] {
  const seen = new Set<string>();
  return policies.flatMap(({ resourceName, restartPolicy }, at) => {
    const findings: Finding[] = [];
    if (seen.has(resourceName)) findings.push(duplicate(`${path}[${at}]`, resourceName));
    seen.add(resourceName);
    if (resourceName === "") findings.push(required(path));
    else if (!RESIZABLE.includes(resourceName)) {
      findings.push(notSupported(path, resourceName, RESIZABLE));
    }
    if (restartPolicy === "") findings.push(required(path));
    else if (!RESIZE_POLICIES.includes(restartPolicy)) {
      findings.push(notSupported(path, restartPolicy, RESIZE_POLICIES));
    }
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      findings.push(invalid(path, restartPolicy, detail));
    }
    return findings;
  });
}
