/**
 * Pure: warnings about pods that are accepted but probably not intended, in the order in which
 * clients see them.
 *
 * Continue with warnings-volumes.ts and warnings-containers.ts.
 */
import type {
  NodeSelectorTerm,
  Pod,
  PodAffinity,
  PodSpec,
  PodTemplateSpec,
} from "../../api/generated/core.ts";
import type { ObjectMeta } from "../../api/generated/meta.ts";
import { dns1123Label, labelValue } from "../../api/names.ts";
import { repetitions } from "../../api/repetitions.ts";
import { parseIp } from "./ip-address.ts";
import { APP_ARMOR_OF_CONTAINER, SECCOMP_OF_POD } from "./validate-annotations.ts";
import { visitContainers } from "./visit-containers.ts";
import { byteWarnings } from "./warnings-bytes.ts";
import { containerWarnings, portWarnings, USE_SECCOMP_FIELD } from "./warnings-containers.ts";
import { volumeWarnings } from "./warnings-volumes.ts";

export function podWarnings(pod: Pod): string[] {
  return [
    ...nameWarnings(pod.metadata.name ?? ""),
    ...warningsOf(pod, { path: "", isTemplate: false }),
  ];
}

/** The old template is ignored: the warnings are repeated on each update. */
export function podTemplateWarnings(
  template: PodTemplateSpec,
  path: string,
  _old?: PodTemplateSpec,
): string[] {
  return warningsOf(template, { path: `${path}.`, isTemplate: true });
}

/** A name with dots is valid but leads to an unusual hostname. */
function nameWarnings(name: string): string[] {
  const problems = dns1123Label(name);
  if (problems.length === 0) return [];
  const warning =
    "metadata.name: this is used in the Pod's hostname, which can result in surprising " +
    "behavior; a DNS label is recommended";
  return [`${warning}: [${problems.join(" ")}]`];
}

interface Place {
  readonly path: string;
  readonly isTemplate: boolean;
}

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

function warningsOf({ metadata, spec }: PodLike, { path, isTemplate }: Place): string[] {
  const specPath = `${path}spec`;
  const annotations = metadata.annotations ?? {};
  const annotationsPath = `${path}metadata.annotations`;
  return [
    ...nodeWarnings(spec, specPath),
    ...spreadWarnings(spec, `${specPath}.topologySpreadConstraints`),
    ...DEPRECATED_ANNOTATIONS.filter(([key]) => annotations[key] !== undefined).map(
      ([key, message]) => `${annotationsPath}[${key}]: ${message}`,
    ),
    ...volumeWarnings(spec.volumes ?? [], `${specPath}.volumes`),
    ...duplicateWarnings(spec, specPath),
    ...byteWarnings(spec.overhead, `${specPath}.overhead`, ["memory", "ephemeral-storage"]),
    ...(spec.securityContext?.seccompProfile || annotations[SECCOMP_OF_POD] === undefined
      ? []
      : [`${annotationsPath}[${SECCOMP_OF_POD}]: ${USE_SECCOMP_FIELD}`]),
    ...visitContainers(spec, specPath).flatMap((visited) => [
      ...containerWarnings(visited, annotations, annotationsPath),
      ...(isTemplate ? appArmorWarnings(visited.container, spec, metadata, annotationsPath) : []),
    ]),
    ...portWarnings(spec, specPath),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${specPath}.terminationGracePeriodSeconds: ${NEGATIVE_GRACE}`]
      : []),
    ...podAffinityWarnings(spec.affinity?.podAffinity, `${specPath}.affinity.podAffinity`),
    ...podAffinityWarnings(spec.affinity?.podAntiAffinity, `${specPath}.affinity.podAntiAffinity`),
    ...addressWarnings(spec, specPath),
  ];
}

const NEGATIVE_GRACE = "must be >= 0; negative values are invalid and will be treated as 1";
const NO_POD = "a null labelSelector results in matching no pod";

const DEPRECATED_ANNOTATIONS = [
  [
    "scheduler.alpha.kubernetes.io/critical-pod",
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  [
    "security.alpha.kubernetes.io/sysctls",
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
  [
    "security.alpha.kubernetes.io/unsafe-sysctls",
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
] as const;

const DEPRECATED_NODE_LABELS: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  [
    "failure-domain.beta.kubernetes.io/region",
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  ],
  [
    "failure-domain.beta.kubernetes.io/zone",
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ],
  [
    "beta.kubernetes.io/instance-type",
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  ],
]);

function nodeWarnings(spec: PodSpec, path: string): string[] {
  const ofSelector = Object.keys(spec.nodeSelector ?? {}).flatMap((key) => {
    const message = DEPRECATED_NODE_LABELS.get(key);
    return message === undefined ? [] : [`${path}.nodeSelector[${key}]: ${message}`];
  });
  const affinity = spec.affinity?.nodeAffinity;
  const affinityPath = `${path}.affinity.nodeAffinity`;
  const demanded = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const wished = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const demandedPath = `${affinityPath}.requiredDuringSchedulingIgnoredDuringExecution`;
  const wishedPath = `${affinityPath}.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...ofSelector,
    ...(demanded ?? []).flatMap((term, at) =>
      nodeTermWarnings(term, `${demandedPath}.nodeSelectorTerms[${at}]`, false),
    ),
    ...wished.flatMap(({ preference }, at) =>
      nodeTermWarnings(preference, `${wishedPath}[${at}].preference`, true),
    ),
  ];
}

/**
 * Requirements with values that no label can have are rejected, so only preferences get warnings.
 */
function nodeTermWarnings(term: NodeSelectorTerm, path: string, checksValues: boolean): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key, values = [] }, at) => {
    const here = `${path}.matchExpressions[${at}]`;
    const message = DEPRECATED_NODE_LABELS.get(key);
    const ofValues = values.flatMap((value, index) =>
      labelValue(value).map(
        (problem) => `${here}.values[${index}]: ${value} is invalid, ${problem}`,
      ),
    );
    return [
      ...(message === undefined ? [] : [`${here}.key: ${key} is ${message}`]),
      ...(checksValues ? ofValues : []),
    ];
  });
}

function spreadWarnings({ topologySpreadConstraints = [] }: PodSpec, path: string): string[] {
  return topologySpreadConstraints.flatMap(({ topologyKey, labelSelector }, at) => {
    const message = DEPRECATED_NODE_LABELS.get(topologyKey);
    return [
      ...(message === undefined
        ? []
        : [`${path}[${at}].topologyKey: ${topologyKey} is ${message}`]),
      ...(labelSelector === undefined ? [`${path}[${at}].labelSelector: ${NO_POD}`] : []),
    ];
  });
}

function duplicateWarnings(spec: PodSpec, path: string): string[] {
  const { hostAliases = [], imagePullSecrets = [] } = spec;
  const secrets = imagePullSecrets.map(({ name = "" }) => name);
  const addresses = hostAliases.map(({ ip }) => ip);
  return [
    ...[...repetitions(addresses)].map((at) => {
      return `${path}.hostAliases[${at}].ip: duplicate ip ${JSON.stringify(addresses[at])}`;
    }),
    ...[...repetitions(secrets)].map((at) => {
      const name = JSON.stringify(secrets[at]);
      return `${path}.imagePullSecrets[${at}].name: duplicate name ${name}`;
    }),
    ...secrets.flatMap((name, at) =>
      name === "" ? [`${path}.imagePullSecrets[${at}].name: invalid empty name ""`] : [],
    ),
  ];
}

/**
 * In a pod the annotation is copied to the field, so only a template can have one without the
 * other.
 */
function appArmorWarnings(
  container: { readonly name: string; readonly securityContext?: { appArmorProfile?: object } },
  spec: PodSpec,
  { annotations = {} }: ObjectMeta,
  path: string,
): string[] {
  const key = `${APP_ARMOR_OF_CONTAINER}${container.name}`;
  if (annotations[key] === undefined) return [];
  if (spec.securityContext?.appArmorProfile || container.securityContext?.appArmorProfile)
    return [];
  return [`${path}[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`];
}

function podAffinityWarnings(affinity: PodAffinity | undefined, path: string): string[] {
  const demanded = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const wished = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const demandedPath = `${path}.requiredDuringSchedulingIgnoredDuringExecution`;
  const wishedPath = `${path}.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...demanded.flatMap(({ labelSelector }, at) =>
      labelSelector ? [] : [`${demandedPath}[${at}].labelSelector: ${NO_POD}`],
    ),
    ...wished.flatMap(({ podAffinityTerm }, at) =>
      podAffinityTerm.labelSelector
        ? []
        : [`${wishedPath}[${at}].podAffinityTerm.labelSelector: ${NO_POD}`],
    ),
  ];
}

function addressWarnings(spec: PodSpec, path: string): string[] {
  const nameservers = spec.dnsConfig?.nameservers ?? [];
  return [
    ...nameservers.flatMap((ip, at) => ipWarnings(ip, `${path}.dnsConfig.nameservers[${at}]`)),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, at) =>
      ipWarnings(ip, `${path}.hostAliases[${at}].ip`),
    ),
  ];
}

function ipWarnings(text: string, field: string): string[] {
  const ip = parseIp(text);
  if (ip === undefined || ip.canonical === text) return [];
  const [given, better] = [JSON.stringify(text), JSON.stringify(ip.canonical)];
  if (ip.family === 6) {
    return [`${field}: IPv6 address ${given} should be in RFC 5952 canonical format (${better})`];
  }
  const future = "will be considered invalid in a future Kubernetes release";
  return [`${field}: non-standard IP address ${given} ${future}: use ${better}`];
}
