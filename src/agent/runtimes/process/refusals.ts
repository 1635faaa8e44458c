/**
 * Pure: what the process runtime cannot honour in a pod. A process of the host has the files, the
 * user and the network of the server: whatever a pod asks beyond that is refused with all reasons
 * at once, never ignored. security-refusals.ts and unenforced-limits.ts are parts of this list.
 *
 * It knows nothing of how processes are started.
 */
import type { Container, Pod, PodSpec } from "../../../api/generated/core.ts";
import { controllerOf } from "../../../api/owner-reference.ts";
import type { StopSignal } from "../runtime.ts";
import { containersOf, inContainer } from "./containers.ts";
import { type Identity, securityRefusals } from "./security-refusals.ts";
import { type EnforcedLimits, limitsNotEnforced } from "./unenforced-limits.ts";

/** As an event has it; a refusal is also the reason and message of the pod's status. */
export interface Notice {
  readonly reason: string;
  readonly message: string;
}

export interface Admission {
  readonly refusal?: Notice;
  readonly warnings: readonly Notice[];
}

export type HandlerKind = "exec" | "httpGet" | "tcpSocket" | "sleep" | "grpc";

/** What this host and this agent can do. */
export interface ProcessAbilities extends EnforcedLimits {
  /** Of the server, and so of every process. */
  readonly identity: Identity;
  /** Kinds of lifecycle handlers and probes that the agent carries out. */
  readonly hooks: readonly HandlerKind[];
  readonly probes: readonly HandlerKind[];
  /** A limit that is not enforced is refused rather than warned of. */
  readonly strictLimits: boolean;
}

export function admitPod(pod: Pod, abilities: ProcessAbilities): Admission {
  const { spec } = pod;
  const warnings: Notice[] = [];
  if (spec.os?.name === "windows") return { refusal: OTHER_SYSTEM, warnings };
  const isOfSet = controllerOf(pod)?.kind === "StatefulSet";
  if (spec.subdomain && isOfSet) warnings.push(namesNotice(spec));
  const problems = [
    ...(spec.subdomain && !isOfSet ? [`subdomain (${UNRESOLVED})`] : []),
    ...podRefusals(spec),
    ...securityRefusals(spec, abilities.identity),
    ...containersOf(spec).flatMap((container) =>
      containerRefusals(container, abilities).map((problem) => inContainer(container, problem)),
    ),
  ];
  if (problems.length > 0) return { refusal: refusalOf(problems), warnings };
  const limits = limitsNotEnforced(spec, abilities);
  if (limits.length === 0) return { warnings };
  const message = `limits are not enforced on this node: ${limits.join(", ")}`;
  const notice = { reason: "LimitNotEnforced", message };
  return abilities.strictLimits
    ? { refusal: notice, warnings }
    : { warnings: [...warnings, notice] };
}

/** Says of every pod that its images are not used. */
export function imageNotice({ spec }: Pod, runtime = "process"): Notice {
  const images = [...new Set(containersOf(spec).map(({ image }) => JSON.stringify(image ?? "")))];
  const subject = images.length === 1 ? "image" : "images";
  const message =
    `${subject} ${images.join(", ")} not used: ` +
    `the ${runtime} runtime runs commands with the programs and files of this host`;
  return { reason: "ImageNotUsed", message };
}

/** In kubelet's words. */
export const OTHER_SYSTEM: Notice = {
  reason: "PodOSNotSupported",
  message: "Failed to admit pod as the OS field doesn't match node OS",
};

export const NAMES_NOT_RESOLVED = "NamesNotResolved";

const UNRESOLVED = "peers' names are not resolved";

/** A StatefulSet that names a Service gives its pods a subdomain, whether they use it or not. */
function namesNotice({ subdomain = "" }: PodSpec): Notice {
  const message = `subdomain ${JSON.stringify(subdomain)} has no effect: ${UNRESOLVED}`;
  return { reason: NAMES_NOT_RESOLVED, message };
}

/** A message is read by people, and an event takes no more than a kilobyte. */
const MAX_PROBLEMS = 8;

function refusalOf(problems: readonly string[]): Notice {
  const named = problems.slice(0, MAX_PROBLEMS).join("; ");
  const rest = problems.length - MAX_PROBLEMS;
  const more = rest > 0 ? `; and ${rest} more` : "";
  const message = `the process runtime cannot honour ${named}${more}`;
  return { reason: "NotSupportedByRuntime", message };
}

/** spec.hostname is no refusal: every pod of an Indexed Job has one. HOSTNAME tells it. */
function podRefusals(spec: PodSpec): string[] {
  const problems: string[] = [];
  if (spec.hostnameOverride) problems.push("hostnameOverride (the host keeps its name)");
  if (spec.hostAliases?.length) problems.push("hostAliases (/etc/hosts is the host's)");
  if (spec.dnsConfig !== undefined || spec.dnsPolicy === "None") {
    problems.push("dnsConfig (/etc/resolv.conf is the host's)");
  }
  if (spec.hostUsers === false) problems.push("hostUsers false (there is no user namespace)");
  if (spec.resourceClaims?.length) problems.push("resourceClaims (no devices are allocated)");
  return problems;
}

function containerRefusals(container: Container, abilities: ProcessAbilities): string[] {
  const { volumeMounts = [], volumeDevices = [], env = [] } = container;
  const problems: string[] = [];
  if (volumeMounts.length > 0) {
    const mounts = volumeMounts.map(({ name, mountPath }) => `${name} at ${mountPath}`);
    problems.push(`volumeMounts ${mounts.join(", ")} (volumes are not mounted)`);
  }
  if (volumeDevices.length > 0) {
    const devices = volumeDevices.map(({ name, devicePath }) => `${name} at ${devicePath}`);
    problems.push(`volumeDevices ${devices.join(", ")} (volumes are not attached)`);
  }
  for (const { name, valueFrom } of env) {
    if (valueFrom?.fileKeyRef !== undefined) {
      problems.push(`variable ${name} from a file (volumes are not mounted)`);
    }
  }
  return [
    ...problems,
    ...hookRefusals(container, abilities),
    ...probeRefusals(container, abilities),
  ];
}

const STOP_SIGNALS: ReadonlySet<string> = new Set<`SIG${StopSignal}`>([
  "SIGTERM",
  "SIGKILL",
  "SIGINT",
  "SIGQUIT",
  "SIGHUP",
  "SIGUSR1",
  "SIGUSR2",
]);

export function hookRefusals({ lifecycle }: Container, { hooks }: ProcessAbilities): string[] {
  if (lifecycle === undefined) return [];
  const { postStart, preStop, stopSignal } = lifecycle;
  const problems = Object.entries({ postStart, preStop }).flatMap(([hook, handler]) =>
    missingKinds(handler, hooks).map((kind) => `${hook}.${kind} (it is not carried out)`),
  );
  if (stopSignal !== undefined && !STOP_SIGNALS.has(stopSignal)) {
    problems.push(`stopSignal ${stopSignal} (it cannot be sent)`);
  }
  return problems;
}

export function probeRefusals(container: Container, { probes }: ProcessAbilities): string[] {
  return PROBES.flatMap((name) =>
    missingKinds(container[name], probes).map((kind) => `${name}.${kind} (it is not carried out)`),
  );
}

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"] as const;

const NONE: readonly HandlerKind[] = [];
const HANDLER_KINDS: readonly HandlerKind[] = ["exec", "httpGet", "tcpSocket", "sleep", "grpc"];

function missingKinds(
  handler: { readonly [Kind in HandlerKind]?: unknown } | undefined,
  able: readonly HandlerKind[],
): readonly HandlerKind[] {
  if (handler === undefined) return NONE;
  return HANDLER_KINDS.filter((kind) => handler[kind] !== undefined && !able.includes(kind));
}
