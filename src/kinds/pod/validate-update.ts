/** Pure: validates the update of a pod. Almost nothing may change: a pod is replaced instead. */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, invalid, required } from "../../api/finding.ts";
import type {
  Container,
  Pod,
  PodSchedulingGate,
  PodSpec,
  Toleration,
} from "../../api/generated/core.ts";
import { type Draft, draftOf } from "../../api/object.ts";
import { validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { inclusiveRange } from "./syntax.ts";
import { validatePodAnnotations, validatePodAnnotationsUpdate } from "./validate-annotations.ts";
import { validateImageSpaces } from "./validate-container.ts";
import { validateGatedUpdate } from "./validate-gated-update.ts";
import { validatePodContent } from "./validate-pod.ts";
import { validateTolerations } from "./validate-scheduling.ts";

const INT32_MAX = 2 ** 31 - 1;

const UPDATABLE = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

export function validatePodUpdate(next: Pod, old: Pod): Finding[] {
  const findings = validatePodMetaUpdate(next, old);
  if (next.spec === old.spec) return findings;
  for (const list of ["containers", "initContainers"] as const) {
    const [now, before] = [next.spec[list] ?? [], old.spec[list] ?? []];
    if (now.length !== before.length) {
      const detail = "pod updates may not add or remove containers";
      return [...findings, forbidden(`spec.${list}`, detail)];
    }
    findings.push(...validateImages(now, `spec.${list}`));
  }
  const deadline = validateDeadlineUpdate(next.spec, old.spec);
  findings.push(...deadline.findings);
  if (deadline.isFatal) return findings;
  return [
    ...findings,
    ...validateTolerationsUpdate(next.spec.tolerations, old.spec.tolerations),
    ...validateGatesUpdate(next.spec.schedulingGates ?? [], old.spec.schedulingGates ?? []),
    ...validateRest(next.spec, old.spec),
  ];
}

export function validateEphemeralContainersUpdate(next: Pod, old: Pod): Finding[] {
  if (isMirror(old)) return [forbidden("", "static pods do not support ephemeral containers")];
  const containers = next.spec.ephemeralContainers ?? [];
  const changes = (old.spec.ephemeralContainers ?? []).flatMap((before) => {
    const name = JSON.stringify(before.name);
    const now = containers.find((container) => container.name === before.name);
    const refused = (what: string) => [
      forbidden(
        "spec.ephemeralContainers",
        `existing ephemeral containers ${name} may not be ${what}`,
      ),
    ];
    if (now === undefined) return refused("removed\n");
    return isEqual(now, before) ? [] : refused(`changed\n${differences(before, now)}`);
  });
  return [...validatePodMetaUpdate(next, old), ...changes];
}

/** The rules for any change of a pod: its metadata, and that it is still a valid pod. */
export function validatePodMetaUpdate(next: Pod, old: Pod): Finding[] {
  const [now, before] = [next.metadata, old.metadata];
  const path = "metadata.annotations";
  const isKept = next.spec === old.spec && now.annotations === before.annotations;
  return [
    ...validateObjectMetaUpdate(now, before),
    ...validatePodContent(next, old),
    ...validatePodAnnotationsUpdate(now.annotations, before.annotations, path),
    ...(isKept ? [] : validatePodAnnotations(now.annotations, next.spec, path)),
  ];
}

/** A static pod, which the kubelet runs by itself and only mirrors to the API. */
export function isMirror(pod: Pod): boolean {
  return pod.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
}

function validateImages(containers: readonly Container[], path: string): Finding[] {
  return containers.flatMap((container, at) => [
    ...((container.image ?? "") === "" ? [required(`${path}[${at}].image`)] : []),
    ...validateImageSpaces(container, `${path}[${at}]`),
  ]);
}

/** A deadline may be set, or be made shorter. */
function validateDeadlineUpdate(
  { activeDeadlineSeconds: next }: PodSpec,
  { activeDeadlineSeconds: old }: PodSpec,
): { readonly findings: Finding[]; readonly isFatal: boolean } {
  const field = "spec.activeDeadlineSeconds";
  const refused = (detail: string, isFatal: boolean) => ({
    findings: [invalid(field, next, detail)],
    isFatal,
  });
  if (next === undefined) {
    if (old === undefined) return { findings: [], isFatal: false };
    return refused("must not update from a positive integer to nil value", false);
  }
  if (next < 0 || next > INT32_MAX) return refused(inclusiveRange(0, INT32_MAX), true);
  if (old !== undefined && old < next) {
    return refused("must be less than or equal to previous value", true);
  }
  return { findings: [], isFatal: false };
}

function validateTolerationsUpdate(
  next: readonly Toleration[] = [],
  old: readonly Toleration[] = [],
): Finding[] {
  const isKept = old.every((before) => next.some((now) => isSameButSeconds(before, now)));
  if (isKept) return validateTolerations(next, "spec.tolerations");
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  return [forbidden("spec.tolerations", detail)];
}

function isSameButSeconds(one: Toleration, other: Toleration): boolean {
  const { tolerationSeconds: _one, ...left } = one;
  const { tolerationSeconds: _other, ...right } = other;
  return isEqual(left, right);
}

function validateGatesUpdate(
  next: readonly PodSchedulingGate[],
  old: readonly PodSchedulingGate[],
): Finding[] {
  const known = new Set(old.map(({ name }) => name));
  const added = new Map(next.map(({ name }, at) => [name, at]));
  return [...added].flatMap(([name, at]) => {
    if (known.has(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbidden(`spec.schedulingGates[${at}].name`, detail)];
  });
}

/** After restoring everything that may change, nothing may differ. */
function validateRest(next: PodSpec, old: PodSpec): Finding[] {
  if (isEqual(next, old)) return [];
  const restored = draftOf(next);
  for (const list of ["containers", "initContainers"] as const) {
    for (const [at, container] of (restored[list] ?? []).entries()) {
      const image = old[list]?.[at]?.image;
      if (image === undefined) delete container.image;
      else container.image = image;
    }
  }
  restore(restored, old, "activeDeadlineSeconds");
  restore(restored, old, "schedulingGates");
  restore(restored, old, "tolerations");
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && next.terminationGracePeriodSeconds === 1) {
    restore(restored, old, "terminationGracePeriodSeconds");
  }
  const findings = (old.schedulingGates ?? []).length > 0 ? validateGatedUpdate(restored, old) : [];
  if (isEqual(restored, old)) return findings;
  const rule = `pod updates may not change fields other than ${UPDATABLE.join(",")}`;
  return [...findings, forbidden("spec", `${rule}\n${differences(old, restored)}`)];
}

export function restore<Key extends keyof PodSpec>(
  spec: Draft<PodSpec>,
  old: PodSpec,
  key: Key,
): void {
  const value = old[key];
  if (value === undefined) delete spec[key];
  else spec[key] = draftOf(value) as Draft<PodSpec>[Key];
}

/** The fields that differ, before and after. */
function differences(before: object, after: object): string {
  const [left, right] = [before as Fields, after as Fields];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  return keys
    .filter((key) => !isEqual(left[key], right[key]))
    .map((key) => `- ${key}: ${show(left[key])}\n+ ${key}: ${show(right[key])}\n`)
    .join("");
}

type Fields = { readonly [key: string]: unknown };

function show(value: unknown): string {
  return JSON.stringify(value ?? null);
}
