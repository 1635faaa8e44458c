/**
 * Pure: validates annotations with a meaning in Kubernetes, and fields that replaced some of them.
 */
import { type Finding, forbidden, invalid } from "../../api/finding.ts";
import type { AppArmorProfile, PodSpec, SeccompProfile } from "../../api/generated/core.ts";
import type { ObjectMeta } from "../../api/generated/meta.ts";
import type { StringMap } from "../meta/labels.ts";
import { validateDescendingPath } from "./syntax.ts";
import { containerNamesOf, visitContainers } from "./visit-containers.ts";

export const MIRROR_POD = "kubernetes.io/config.mirror";
export const SECCOMP_OF_POD = "seccomp.security.alpha.kubernetes.io/pod";
export const SECCOMP_OF_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
export const APP_ARMOR_OF_CONTAINER = "container.apparmor.security.beta.kubernetes.io/";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const LOCALHOST = "localhost/";

export function validatePodAnnotations(
  annotations: StringMap = {},
  spec: PodSpec,
  path: string,
): Finding[] {
  const findings: Finding[] = [];
  const mirror = annotations[MIRROR_POD];
  if (mirror !== undefined && (spec.nodeName ?? "") === "") {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    findings.push(invalid(`${path}[${MIRROR_POD}]`, mirror, detail));
  }
  const cost = annotations[DELETION_COST];
  if (cost !== undefined && !isDeletionCost(cost)) {
    findings.push(invalid(`${path}[${DELETION_COST}]`, cost, "must be a 32bit integer"));
  }
  const entries = Object.entries(annotations);
  const seccomp = [
    ...entries.filter(([key]) => key === SECCOMP_OF_POD),
    ...entries.filter(([key]) => key.startsWith(SECCOMP_OF_CONTAINER)),
  ];
  return [
    ...findings,
    ...seccomp.flatMap(([key, value]) => validateSeccompName(value, `${path}.${key}`)),
    ...validateAppArmorNames(annotations, spec, path),
  ];
}

/** Annotations about what happened before the pod existed cannot change later. */
export function validatePodAnnotationsUpdate(
  next: StringMap = {},
  old: StringMap = {},
  path: string,
): Finding[] {
  const kept = Object.keys(old).filter((key) => next[key] !== old[key]);
  const added = Object.keys(next).filter((key) => !Object.hasOwn(old, key));
  return [
    ...kept.flatMap((key) => refuse(key, "remove or update", path)),
    ...added.flatMap((key) => refuse(key, "add", path)),
  ];
}

/** If both the old annotation and the new field are set, they must match. */
export function validateSeccompMatch(meta: ObjectMeta, spec: PodSpec, path: string): Finding[] {
  const annotations = meta.annotations ?? {};
  const ofPod = spec.securityContext?.seccompProfile;
  return [
    ...seccompMatch(annotations[SECCOMP_OF_POD], ofPod, `${path}.securityContext.seccompProfile`),
    ...visitContainers(spec, path).flatMap(({ container, path: containerPath }) =>
      seccompMatch(
        annotations[`${SECCOMP_OF_CONTAINER}${container.name}`],
        container.securityContext?.seccompProfile,
        `${containerPath}.securityContext.seccompProfile`,
      ),
    ),
  ];
}

export function validateAppArmorMatch(meta: ObjectMeta, spec: PodSpec, path: string): Finding[] {
  if (spec.os?.name === "windows") return [];
  const annotations = meta.annotations ?? {};
  const ofPod = spec.securityContext?.appArmorProfile;
  return visitContainers(spec, path).flatMap(({ container, path: containerPath }) => {
    const annotation = annotations[`${APP_ARMOR_OF_CONTAINER}${container.name}`];
    const profile = container.securityContext?.appArmorProfile ?? ofPod;
    const field = `${containerPath}.securityContext.appArmorProfile`;
    return profileMatch("apparmor", ["runtime/default"], { annotation, profile, field });
  });
}

/** Digits without plus sign or leading zero, so that each cost has one spelling. */
function isDeletionCost(text: string): boolean {
  if (!/^(0|-?[0-9]+)$/.test(text) || /^0./.test(text)) return false;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31;
}

function validateSeccompName(name: string, field: string): Finding[] {
  if (["runtime/default", "docker/default", "unconfined"].includes(name)) return [];
  if (name.startsWith(LOCALHOST)) {
    return validateDescendingPath(name.slice(LOCALHOST.length), field);
  }
  return [invalid(field, name, "must be a valid seccomp profile")];
}

function validateAppArmorNames(annotations: StringMap, spec: PodSpec, path: string): Finding[] {
  const containers = containerNamesOf(spec);
  return Object.entries(annotations).flatMap(([key, name]) => {
    if (!key.startsWith(APP_ARMOR_OF_CONTAINER)) return [];
    const field = `${path}[${key}]`;
    const container = key.slice(APP_ARMOR_OF_CONTAINER.length);
    const findings: Finding[] = [];
    if (!containers.has(container)) {
      findings.push(invalid(field, container, "container not found"));
    }
    const isKnown = ["", "runtime/default", "unconfined"].includes(name);
    if (!isKnown && !name.startsWith(LOCALHOST)) {
      const detail = `invalid AppArmor profile name: ${JSON.stringify(name)}`;
      findings.push(invalid(field, name, detail));
    }
    return findings;
  });
}

function refuse(key: string, verb: string, path: string): Finding[] {
  if (key.startsWith(APP_ARMOR_OF_CONTAINER)) {
    return [forbidden(`${path}[${key}]`, `may not ${verb} AppArmor annotations`)];
  }
  if (key !== MIRROR_POD) return [];
  return [forbidden(`${path}[${key}]`, `may not ${verb} mirror pod annotation`)];
}

function seccompMatch(
  annotation: string | undefined,
  profile: SeccompProfile | undefined,
  field: string,
): Finding[] {
  const defaults = ["runtime/default", "docker/default"];
  return profileMatch("seccomp", defaults, { annotation, profile, field });
}

interface ProfilePair {
  readonly annotation: string | undefined;
  readonly profile: SeccompProfile | AppArmorProfile | undefined;
  readonly field: string;
}

function profileMatch(
  what: string,
  defaults: readonly string[],
  { annotation, profile, field }: ProfilePair,
): Finding[] {
  if (annotation === undefined || profile === undefined) return [];
  const typeDiffers = [
    forbidden(`${field}.type`, `${what} type in annotation and field must match`),
  ];
  switch (profile.type) {
    case "Unconfined":
      return annotation === "unconfined" ? [] : typeDiffers;
    case "RuntimeDefault":
      return defaults.includes(annotation) ? [] : typeDiffers;
    case "Localhost": {
      if (!annotation.startsWith(LOCALHOST)) return typeDiffers;
      if (annotation.slice(LOCALHOST.length) === profile.localhostProfile) return [];
      const detail = `${what} profile in annotation and field must match`;
      return [forbidden(`${field}.localhostProfile`, detail)];
    }
    default:
      return [];
  }
}
