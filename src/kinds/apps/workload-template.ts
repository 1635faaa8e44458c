/** Pure: validates the template of a workload whose pods run indefinitely. */
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import type { PodTemplateSpec, Volume } from "../../api/generated/core.ts";
import type { LabelSelector } from "../../api/generated/meta.ts";
import {
  isEmptySelector,
  matchesLabelSelector,
  validateLabelSelector,
} from "../meta/label-selector.ts";
import { validatePodTemplateSpec } from "../pod/validate-template.ts";

export interface Replicated {
  readonly selector?: LabelSelector | null;
  readonly template: PodTemplateSpec;
  readonly replicas?: number;
}

/**
 * For Deployments and ReplicaSets. The labels of the template are checked only if the selector is
 * valid.
 */
export function validateReplicated(spec: Replicated, old: Replicated | undefined): Finding[] {
  const { template, replicas = 0 } = spec;
  const selector = spec.selector ?? undefined;
  const findings = validateWholeSelector(selector);
  if (selector && validateLabelSelector(selector, "spec.selector").length > 0) {
    return [...findings, invalid("spec.selector", selector, "invalid label selector")];
  }
  const isOpen = selector !== undefined && isEmptySelector(selector);
  return [
    ...findings,
    ...(isOpen ? [] : validateMatch(selector, template)),
    ...validatePodTemplateSpec(template, "spec.template"),
    ...(replicas > 1 ? validateDisks(template, old?.template) : []),
    ...validateLasting(template, "ReplicaSet"),
  ];
}

function validateWholeSelector(selector: LabelSelector | undefined): Finding[] {
  if (selector === undefined) return [required("spec.selector")];
  const findings = validateLabelSelector(selector, "spec.selector");
  if (!isEmptySelector(selector)) return findings;
  const detail = "empty selector is invalid for deployment";
  return [...findings, invalid("spec.selector", selector, detail)];
}

export function validateMatch(
  selector: LabelSelector | undefined,
  { metadata }: PodTemplateSpec,
): Finding[] {
  if (matchesLabelSelector(selector, metadata.labels)) return [];
  const detail = "`selector` does not match template `labels`";
  return [invalid("spec.template.metadata.labels", metadata.labels, detail)];
}

/** A disk that only one machine can write to cannot be used by several pods. */
export function validateDisks(template: PodTemplateSpec, old?: PodTemplateSpec): Finding[] {
  if ((old?.spec.volumes ?? []).some(isWritableDisk)) return [];
  return (template.spec.volumes ?? []).flatMap((volume, at) => {
    if (!isWritableDisk(volume)) return [];
    const path = `spec.template.spec.volumes[${at}].gcePersistentDisk.readOnly`;
    const reason = "GCE PD can only be mounted on multiple machines if it is read-only";
    return [invalid(path, false, `must be true for replicated pods > 1; ${reason}`)];
  });
}

function isWritableDisk({ gcePersistentDisk }: Volume): boolean {
  return gcePersistentDisk !== undefined && gcePersistentDisk.readOnly !== true;
}

/** The pods must run until they are deleted: restartPolicy Always, and no deadline. */
export function validateLasting({ spec }: PodTemplateSpec, kind: string): Finding[] {
  const { restartPolicy = "", activeDeadlineSeconds } = spec;
  const findings: Finding[] = [];
  if (restartPolicy !== "Always") {
    const path = "spec.template.spec.restartPolicy";
    findings.push(notSupported(path, restartPolicy, ["Always"]));
  }
  if (activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    findings.push(forbidden("spec.template.spec.activeDeadlineSeconds", detail));
  }
  return findings;
}
