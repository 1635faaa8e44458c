/** Pure: validates a StatefulSet and its updates. */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from "../../api/generated/apps.ts";
import type { PodTemplateSpec } from "../../api/generated/core.ts";
import { dns1123Label } from "../../api/names.ts";
import {
  isEmptySelector,
  matchesLabelSelector,
  validateLabelSelector,
} from "../meta/label-selector.ts";
import { validateAnnotations, validateLabels } from "../meta/labels.ts";
import {
  validateNonnegative,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";
import { validatePodAnnotations } from "../pod/validate-annotations.ts";
import { validatePodTemplateSpec } from "../pod/validate-template.ts";
import { validatePersistentVolumeClaimSpec } from "../pod/validate-volume-claim.ts";

const RETENTION_POLICIES = ["Retain", "Delete"];

export function validateStatefulSet({ metadata, spec }: StatefulSet): Finding[] {
  return [
    ...validateObjectMeta(metadata, { namespaced: true, nameRule: dns1123Label }),
    ...validateSpec(spec, "spec"),
  ];
}

export function validateStatefulSetUpdate(next: StatefulSet, old: StatefulSet): Finding[] {
  const findings = [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateSpec(next.spec, "spec"),
  ];
  if (isEqual(fixedFields(next.spec), fixedFields(old.spec))) return findings;
  const detail =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and " +
    "'minReadySeconds' are forbidden";
  return [...findings, forbidden("spec", detail)];
}

export function validateStatefulSetStatusUpdate(next: StatefulSet, old: StatefulSet): Finding[] {
  const path = "status.collisionCount";
  const { collisionCount = 0 } = next.status;
  const isDecremented =
    old.status.collisionCount !== undefined &&
    (next.status.collisionCount === undefined || collisionCount < old.status.collisionCount);
  return [
    ...validateStatus(next.status),
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...(isDecremented ? [invalid(path, collisionCount, "cannot be decremented")] : []),
  ];
}

function validateSpec(spec: StatefulSetSpec, path: string): Finding[] {
  const { ordinals, serviceName, persistentVolumeClaimRetentionPolicy: retention } = spec;
  return [
    ...validatePodManagementPolicy(spec.podManagementPolicy ?? "", `${path}.podManagementPolicy`),
    ...validateUpdateStrategy(spec.updateStrategy, `${path}.updateStrategy`),
    ...validateRetention(retention, `${path}.persistentVolumeClaimRetentionPolicy`),
    ...validateNonnegative(spec.replicas ?? 0, `${path}.replicas`),
    ...validateNonnegative(spec.minReadySeconds ?? 0, `${path}.minReadySeconds`),
    ...validateNonnegative(ordinals?.start ?? 0, `${path}.ordinals.start`),
    ...(serviceName === "" ? [] : dns1123Label(serviceName)).map((problem) =>
      invalid(`${path}.serviceName`, serviceName, problem),
    ),
    ...validateSelectedPods(spec, path),
    ...validateLifetime(spec, `${path}.template`),
  ];
}

function validatePodManagementPolicy(policy: string, path: string): Finding[] {
  if (policy === "") return [required(path)];
  if (policy === "OrderedReady" || policy === "Parallel") return [];
  return [invalid(path, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateUpdateStrategy(strategy: StatefulSetUpdateStrategy, path: string): Finding[] {
  const { type = "", rollingUpdate } = strategy;
  switch (type) {
    case "":
      return [required(path)];
    case "OnDelete": {
      if (rollingUpdate === undefined) return [];
      const detail = "only allowed for updateStrategy 'RollingUpdate'";
      return [invalid(`${path}.rollingUpdate`, rollingUpdateDump(rollingUpdate), detail)];
    }
    case "RollingUpdate": {
      const partition = rollingUpdate?.partition ?? 0;
      return validateNonnegative(partition, `${path}.rollingUpdate.partition`);
    }
    default: {
      const dump = { Type: type, RollingUpdate: rollingUpdateDump(rollingUpdate) };
      return [invalid(path, dump, "must be 'RollingUpdate' or 'OnDelete'")];
    }
  }
}

/** The format in which Kubernetes prints its internal type in a message. */
function rollingUpdateDump(rollingUpdate: RollingUpdateStatefulSetStrategy | undefined): unknown {
  if (rollingUpdate === undefined) return null;
  return { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: null };
}

function validateRetention(
  policy: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined,
  path: string,
): Finding[] {
  if (policy === undefined) return [];
  return (["whenDeleted", "whenScaled"] as const).flatMap((field) => {
    const value = policy[field] ?? "";
    return RETENTION_POLICIES.includes(value)
      ? []
      : [notSupported(`${path}.${field}`, value, RETENTION_POLICIES)];
  });
}

/** The labels of the template are checked only if the selector is valid. */
function validateSelectedPods(spec: StatefulSetSpec, path: string): Finding[] {
  const { selector, template } = spec;
  const { labels } = template.metadata;
  const selectorPath = `${path}.selector`;
  const findings: Finding[] = [];
  if (!selector) {
    findings.push(required(selectorPath));
  } else {
    const malformed = validateLabelSelector(selector, selectorPath);
    if (malformed.length > 0) return [...malformed, invalid(selectorPath, selector, "")];
    if (isEmptySelector(selector)) {
      findings.push(invalid(selectorPath, selector, "empty selector is invalid for statefulset"));
    }
  }
  if (!matchesLabelSelector(selector ?? undefined, labels)) {
    const detail = "`selector` does not match template `labels`";
    findings.push(invalid(`${path}.template.metadata.labels`, labels, detail));
  }
  return [
    ...findings,
    ...validateClaims(spec, `${path}.volumeClaimTemplates`),
    ...validateTemplateMeta(template, `${path}.template`),
    ...validatePodTemplateSpec(withClaims(spec), `${path}.template`),
  ];
}

function validateClaims({ volumeClaimTemplates = [] }: StatefulSetSpec, path: string): Finding[] {
  return volumeClaimTemplates.flatMap((claim, at) =>
    validatePersistentVolumeClaimSpec(claim.spec, `${path}[${at}].spec`),
  );
}

/** Kubernetes validates the metadata twice: here, and with the pod as a whole. */
function validateTemplateMeta({ metadata, spec }: PodTemplateSpec, path: string): Finding[] {
  return [
    ...validateLabels(metadata.labels, `${path}.labels`),
    ...validateAnnotations(metadata.annotations, `${path}.annotations`),
    ...validatePodAnnotations(metadata.annotations, spec, `${path}.annotations`),
  ];
}

function validateLifetime({ template }: StatefulSetSpec, path: string): Finding[] {
  const { restartPolicy = "", activeDeadlineSeconds } = template.spec;
  const findings: Finding[] = [];
  if (restartPolicy !== "Always") {
    findings.push(notSupported(`${path}.spec.restartPolicy`, restartPolicy, ["Always"]));
  }
  if (activeDeadlineSeconds !== undefined) {
    const detail = "activeDeadlineSeconds in StatefulSet is not Supported";
    findings.push(forbidden(`${path}.spec.activeDeadlineSeconds`, detail));
  }
  return findings;
}

/** The pod template with a volume for each claim, as its containers will see it. */
function withClaims({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { volumes = [] } = template.spec;
  const taken = new Set(volumes.map((volume) => volume.name));
  const names = new Set(volumeClaimTemplates.map((claim) => claim.metadata.name ?? ""));
  const claimed = [...names]
    .filter((name) => !taken.has(name))
    .map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  if (claimed.length === 0) return template;
  return { ...template, spec: { ...template.spec, volumes: [...volumes, ...claimed] } };
}

function fixedFields(spec: StatefulSetSpec): unknown {
  const {
    replicas: _replicas,
    ordinals: _ordinals,
    template: _template,
    updateStrategy: _updateStrategy,
    revisionHistoryLimit: _revisionHistoryLimit,
    persistentVolumeClaimRetentionPolicy: _retention,
    minReadySeconds: _minReadySeconds,
    ...fixed
  } = spec;
  return fixed;
}

const PARTS = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"] as const;

function validateStatus(status: StatefulSetStatus): Finding[] {
  const { replicas, readyReplicas = 0, availableReplicas } = status;
  const counters = ["replicas", ...PARTS, "observedGeneration", "collisionCount"] as const;
  const findings = counters.flatMap((field) =>
    validateNonnegative(status[field] ?? 0, `status.${field}`),
  );
  for (const field of PARTS) {
    const value = status[field] ?? 0;
    if (value > replicas) {
      findings.push(invalid(`status.${field}`, value, "cannot be greater than status.replicas"));
    }
  }
  if (availableReplicas > readyReplicas) {
    const detail = "cannot be greater than status.readyReplicas";
    findings.push(invalid("status.availableReplicas", availableReplicas, detail));
  }
  return findings;
}
