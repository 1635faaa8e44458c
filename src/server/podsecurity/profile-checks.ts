/** Pure: the baseline checks of capabilities and of the profiles of security modules. */
import { quote } from "../../api/finding.ts";
import type { SELinuxOptions } from "../../api/generated/core.ts";
import {
  type Check,
  type CheckedContainer,
  type CheckedPod,
  containersOf,
  joinQuoted,
  nameContainers,
  nameSetters,
  namesOf,
  plural,
  sortedSet,
  type Violation,
} from "./check.ts";

const APPARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";
const PERMITTED_PROFILES: readonly (string | undefined)[] = ["RuntimeDefault", "Localhost"];

const appArmorProfile: Check = {
  id: "appArmorProfile",
  level: "baseline",
  versions: [{ since: 0, check: checkAppArmor }],
};

function checkAppArmor(pod: CheckedPod): Violation | undefined {
  const isBad = (type: string | undefined): type is string =>
    type !== undefined && !PERMITTED_PROFILES.includes(type);
  const podType = pod.spec.securityContext?.appArmorProfile?.type;
  const typeOf = (container: CheckedContainer): string | undefined =>
    container.securityContext?.appArmorProfile?.type;
  const setters = nameSetters(
    isBad(podType),
    namesOf(pod, (container) => isBad(typeOf(container))),
  );
  const types = [podType, ...containersOf(pod).map(typeOf)].filter(isBad);
  const annotations = Object.entries(pod.metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APPARMOR_ANNOTATION) && !isAnnotationAllowed(value))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .sort();
  const annotated = annotations.length > 0 ? [plural("annotation", annotations.length)] : [];
  const all = [...(setters === "" ? [] : [setters]), ...annotated].join(" and ");
  if (all === "") return undefined;
  const values = [...sortedSet(types), ...annotations];
  return {
    reason: plural("forbidden AppArmor profile", values.length),
    detail: `${all} must not set AppArmor profile type to ${joinQuoted(values)}`,
  };
}

function isAnnotationAllowed(value: string): boolean {
  return value === "" || value === "runtime/default" || value.startsWith("localhost/");
}

const DEFAULT_CAPABILITIES = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
];

export const CAPABILITIES_BASELINE = "capabilities_baseline";

const capabilities: Check = {
  id: CAPABILITIES_BASELINE,
  level: "baseline",
  versions: [
    {
      since: 0,
      check: (pod) => {
        const detail = forbiddenCapabilities(pod, DEFAULT_CAPABILITIES);
        return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
      },
    },
  ],
};

/** Describes the containers that add capabilities other than the permitted ones. */
export function forbiddenCapabilities(
  pod: CheckedPod,
  permitted: readonly string[],
): string | undefined {
  const addedBy = ({ securityContext }: CheckedContainer): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !permitted.includes(name));
  const bad = namesOf(pod, (container) => addedBy(container).length > 0);
  if (bad.length === 0) return undefined;
  const added = joinQuoted(sortedSet(containersOf(pod).flatMap(addedBy)));
  return `${nameContainers(bad)} must not include ${added} in securityContext.capabilities.add`;
}

const SELINUX_TYPES_0 = ["", "container_t", "container_init_t", "container_kvm_t"];
const SELINUX_TYPES_31 = [...SELINUX_TYPES_0, "container_engine_t"];

const seLinuxOptions: Check = {
  id: "seLinuxOptions",
  level: "baseline",
  versions: [
    { since: 0, check: onlySeLinuxTypes(SELINUX_TYPES_0) },
    { since: 31, check: onlySeLinuxTypes(SELINUX_TYPES_31) },
  ],
};

function onlySeLinuxTypes(permitted: readonly string[]) {
  const isBad = ({ type = "", user = "", role = "" }: SELinuxOptions): boolean =>
    !permitted.includes(type) || user !== "" || role !== "";
  return (pod: CheckedPod): Violation | undefined => {
    const ofPod = pod.spec.securityContext?.seLinuxOptions ?? {};
    const optionsOf = ({ securityContext }: CheckedContainer): SELinuxOptions =>
      securityContext?.seLinuxOptions ?? {};
    const bad = namesOf(pod, (container) => isBad(optionsOf(container)));
    const setters = nameSetters(isBad(ofPod), bad);
    if (setters === "") return undefined;
    const all = [ofPod, ...containersOf(pod).map(optionsOf)];
    const types = sortedSet(all.map(({ type = "" }) => type)).filter(
      (type) => !permitted.includes(type),
    );
    const problems = [
      ...(types.length > 0 ? [`${plural("type", types.length)} ${joinQuoted(types)}`] : []),
      ...(all.some(({ user = "" }) => user !== "") ? ["user may not be set"] : []),
      ...(all.some(({ role = "" }) => role !== "") ? ["role may not be set"] : []),
    ];
    const field = "securityContext.seLinuxOptions";
    const detail = `${setters} set forbidden ${field}: ${problems.join("; ")}`;
    return { reason: "seLinuxOptions", detail };
  };
}

export const SECCOMP_BASELINE = "seccompProfile_baseline";
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";

const seccompProfile: Check = {
  id: SECCOMP_BASELINE,
  level: "baseline",
  versions: [
    { since: 0, check: checkSeccompAnnotations },
    { since: 19, check: forbiddenSeccomp },
  ],
};

function checkSeccompAnnotations(pod: CheckedPod): Violation | undefined {
  const annotations = pod.metadata?.annotations ?? {};
  const keys = [SECCOMP_POD, ...containersOf(pod).map(({ name }) => `${SECCOMP_CONTAINER}${name}`)];
  const bad = keys.flatMap((key) => {
    const value = annotations[key];
    if (value === undefined || isSeccompAllowed(value)) return [];
    return [`${key}=${quote(value)}`];
  });
  const forbidden = sortedSet(bad);
  if (forbidden.length === 0) return undefined;
  const what = `${plural("annotation", forbidden.length)} ${forbidden.join(", ")}`;
  return { reason: "seccompProfile", detail: `forbidden ${what}` };
}

function isSeccompAllowed(value: string): boolean {
  return (
    value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/")
  );
}

export function forbiddenSeccomp(pod: CheckedPod): Violation | undefined {
  const isBad = (type: string | undefined): type is string =>
    type !== undefined && !PERMITTED_PROFILES.includes(type);
  const podType = pod.spec.securityContext?.seccompProfile?.type;
  const bad = namesOf(pod, (container) => isBad(seccompType(container)));
  const setters = nameSetters(isBad(podType), bad);
  if (setters === "") return undefined;
  const types = [podType, ...containersOf(pod).map(seccompType)].filter(isBad);
  const field = "securityContext.seccompProfile.type";
  const detail = `${setters} must not set ${field} to ${joinQuoted(sortedSet(types))}`;
  return { reason: "seccompProfile", detail };
}

export function seccompType({ securityContext }: CheckedContainer): string | undefined {
  return securityContext?.seccompProfile?.type;
}

export const PROFILE_CHECKS: readonly Check[] = [
  appArmorProfile,
  capabilities,
  seLinuxOptions,
  seccompProfile,
];
