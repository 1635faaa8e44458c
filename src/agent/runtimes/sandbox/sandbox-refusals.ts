/**
 * Pure: what a sandbox cannot honour in a pod. It has files, users, a host name, a process tree and
 * mostly a network of its own; beyond that it is made of the host's kernel and the host's programs.
 */
import type { Container, Pod, PodSpec, SecurityContext } from "../../../api/generated/core.ts";
import type { SandboxAbilities } from "../../spawner/protocol.ts";
import { containersOf, inContainer } from "../process/containers.ts";
import {
  type Admission,
  hookRefusals,
  type Notice,
  OTHER_SYSTEM,
  type ProcessAbilities,
  probeRefusals,
} from "../process/refusals.ts";
import { limitsNotEnforced } from "../process/unenforced-limits.ts";
import { refusedCapabilities, unknownCapabilities, withheldCapabilities } from "./capabilities.ts";

export interface SandboxMeasures extends ProcessAbilities {
  readonly sandbox: SandboxAbilities;
}

export function admitToSandbox(pod: Pod, measures: SandboxMeasures): Admission {
  const { spec } = pod;
  const { sandbox } = measures;
  if (spec.os?.name === "windows") return { refusal: OTHER_SYSTEM, warnings: [] };
  if (sandbox.problem !== undefined) {
    return { refusal: refusalOf([`anything: ${sandbox.problem}`]), warnings: [] };
  }
  const problems = [
    ...podRefusals(spec, measures),
    ...containersOf(spec).flatMap((container) =>
      containerRefusals(container, spec, measures).map((each) => inContainer(container, each)),
    ),
  ];
  const warnings = warningsOf(spec, sandbox);
  if (problems.length > 0) return { refusal: refusalOf([...new Set(problems)]), warnings };
  const limits = limitsNotEnforced(spec, measures);
  if (limits.length === 0) return { warnings };
  const message = `limits are not enforced on this node: ${limits.join(", ")}`;
  const notice = { reason: "LimitNotEnforced", message };
  return measures.strictLimits
    ? { refusal: notice, warnings }
    : { warnings: [...warnings, notice] };
}

/** A message is read by people, and an event takes no more than a kilobyte. */
const MAX_PROBLEMS = 8;

function refusalOf(problems: readonly string[]): Notice {
  const named = problems.slice(0, MAX_PROBLEMS).join("; ");
  const rest = problems.length - MAX_PROBLEMS;
  const more = rest > 0 ? `; and ${rest} more` : "";
  return { reason: "NotSupportedByRuntime", message: `the sandbox cannot honour ${named}${more}` };
}

/** Those that are of one network or one set of messages alone. */
const OWN_SYSCTL = /^(net[./]|kernel[./](shm|msg|sem)|fs[./]mqueue[./])/;

function podRefusals(spec: PodSpec, { sandbox, identity }: SandboxMeasures): string[] {
  const { hasNetwork, hasUsers } = sandbox;
  const { securityContext = {}, hostNetwork } = spec;
  const problems: string[] = [];
  if (spec.hostUsers === false) problems.push("hostUsers false (users are those of the host)");
  if (spec.resourceClaims?.length) problems.push("resourceClaims (no devices are allocated)");
  for (const { name } of securityContext.sysctls ?? []) {
    const isOfNetwork = /^net[./]/.test(name);
    const isOwn =
      OWN_SYSCTL.test(name) && hasUsers && !(isOfNetwork && (hostNetwork || !hasNetwork));
    if (!isOwn) problems.push(`sysctls ${name} (it would change the host)`);
  }
  problems.push(...confinementRefusals(securityContext));
  if (hasUsers) return problems;
  const { fsGroup, supplementalGroups = [] } = securityContext;
  if (spec.hostPID) problems.push(`hostPID (${NOT_ROOT})`);
  if (fsGroup !== undefined && fsGroup !== identity.gid) {
    problems.push(`fsGroup ${fsGroup} (${NOT_ROOT})`);
  }
  const foreign = supplementalGroups.filter((each) => !identity.groups.includes(each));
  if (foreign.length > 0) {
    problems.push(`supplementalGroups ${foreign.join(", ")} (${NOT_ROOT})`);
  }
  return problems;
}

const NOT_ROOT = "the server is not root";

function containerRefusals(
  container: Container,
  spec: PodSpec,
  measures: SandboxMeasures,
): readonly string[] {
  const { volumeDevices = [], env = [], securityContext = {} } = container;
  const problems: string[] = [];
  for (const { name, mountPropagation } of container.volumeMounts ?? []) {
    if (mountPropagation !== "Bidirectional") continue;
    problems.push(`mountPropagation Bidirectional of ${name} (its mounts are its own)`);
  }
  for (const { name, devicePath } of volumeDevices) {
    problems.push(`volumeDevices ${name} at ${devicePath} (no block device is attached)`);
  }
  for (const { name, valueFrom } of env) {
    if (valueFrom?.fileKeyRef) problems.push(`variable ${name} from a file (it is not read)`);
  }
  if (securityContext.procMount === "Unmasked") problems.push("procMount Unmasked (it is masked)");
  for (const name of unknownCapabilities(securityContext)) {
    problems.push(`capability ${name} (there is none of that name)`);
  }
  for (const name of measures.sandbox.hasUsers ? refusedCapabilities(securityContext) : []) {
    problems.push(`capability ${name} (it opens the host, which a sandbox cannot prevent)`);
  }
  return [
    ...problems,
    ...userRefusals({ ...spec.securityContext, ...securityContext }, measures),
    ...confinementRefusals(securityContext),
    ...hookRefusals(container, measures),
    ...probeRefusals(container, measures),
  ];
}

/** Who is not root can be nobody else. */
function userRefusals(
  context: Pick<SecurityContext, "runAsUser" | "runAsGroup" | "privileged" | "capabilities">,
  { sandbox, identity }: SandboxMeasures,
): readonly string[] {
  if (sandbox.hasUsers) return [];
  const problems: string[] = [];
  const { runAsUser, runAsGroup, privileged, capabilities } = context;
  if (privileged) problems.push(`privileged (${NOT_ROOT})`);
  if (capabilities?.add?.length) problems.push(`capabilities.add (${NOT_ROOT})`);
  if (runAsUser !== undefined && runAsUser !== identity.uid) {
    problems.push(`runAsUser ${runAsUser} (the server is not root: it is user ${identity.uid})`);
  }
  if (runAsGroup !== undefined && runAsGroup !== identity.gid) {
    problems.push(
      `runAsGroup ${runAsGroup} (the server is not root: its group is ${identity.gid})`,
    );
  }
  return problems;
}

type Confinement = Pick<SecurityContext, "seLinuxOptions" | "seccompProfile" | "appArmorProfile">;

/** Of any container that is made of the host's kernel. */
export function confinementRefusals(context: Confinement): string[] {
  const { seLinuxOptions, seccompProfile, appArmorProfile } = context;
  const problems: string[] = [];
  if (Object.keys(seLinuxOptions ?? {}).length > 0)
    problems.push("seLinuxOptions (no label is set)");
  for (const [name, profile] of Object.entries({ seccompProfile, appArmorProfile })) {
    if (profile?.type === "Localhost") problems.push(`${name} Localhost (no profile is loaded)`);
  }
  return problems;
}

function withheldFrom(spec: PodSpec): readonly Notice[] {
  const named = containersOf(spec).flatMap((container) => {
    const names = withheldCapabilities(container.securityContext ?? {});
    return names.length === 0 ? [] : [inContainer(container, names.join(", "))];
  });
  if (named.length === 0) return [];
  const message = `capabilities that open the host are not given: ${named.join("; ")}`;
  return [{ reason: "CapabilityNotGiven", message }];
}

function warningsOf(spec: PodSpec, abilities: SandboxAbilities): readonly Notice[] {
  const { hasNetwork, noWayOut } = abilities;
  const contexts = [
    spec.securityContext,
    ...containersOf(spec).map((each) => each.securityContext),
  ];
  const isConfined = contexts.some((context) =>
    [context?.seccompProfile, context?.appArmorProfile].some((p) => p?.type === "RuntimeDefault"),
  );
  const message = "the default profile of the sandbox confines little: it denies few system calls";
  const warnings: Notice[] = isConfined ? [{ reason: "NotConfined", message }] : [];
  warnings.push(...withheldFrom(spec));
  const ports = containersOf(spec).flatMap(({ ports: each = [] }) => each);
  const mapped = ports.filter(({ hostPort }) => hostPort).map(({ hostPort }) => hostPort);
  if (!hasNetwork || spec.hostNetwork === true) return warnings;
  if (noWayOut !== undefined) {
    const what = `addresses beyond this machine are not reached: ${noWayOut}`;
    warnings.push({ reason: "NoWayOut", message: what });
  }
  if (mapped.length > 0) {
    const what = `host ports ${mapped.join(", ")} are not opened: use a Service or hostNetwork`;
    warnings.push({ reason: "HostPortNotOpened", message: what });
  }
  return warnings;
}
