/**
 * The StatefulSet: pods with stable names and volumes.
 *
 * This folder holds the kinds of the group apps. stateful-set-validate.ts has the rules of this
 * kind; controller-revision.ts is the history of templates that its controller keeps. Deployment,
 * ReplicaSet and DaemonSet are only stored and shown, for clients that expect them: unattended.ts
 * has what they share.
 */
import { isEqual } from "../../api/equal.ts";
import type { StatefulSet } from "../../api/generated/apps.ts";
import { type Draft, draftOf } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import type { Cell } from "../kind.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";
import { dropDisabledPodFields } from "../pod/drop-disabled.ts";
import { podTemplateWarnings } from "../pod/warnings.ts";
import { byteWarnings } from "../pod/warnings-bytes.ts";
import {
  containerImages,
  containerNames,
  containersColumn,
  imagesColumn,
} from "../print/pod-template.ts";
import {
  validateStatefulSet,
  validateStatefulSetStatusUpdate,
  validateStatefulSetUpdate,
} from "./stateful-set-validate.ts";
import { scaleSubresource, statusSubresource } from "./subresources.ts";

const DEFAULT_REVISION_HISTORY = 10;

export const statefulSetKind = defineKind<StatefulSet>({
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  resource: "statefulsets",
  singular: "statefulset",
  namespaced: true,
  shortNames: ["sts"],
  categories: ["all"],
  message: "apps/v1.StatefulSet",
  subresources: [scaleSubresource, statusSubresource],
  hasGeneration: true,
  rules: {
    setDefaults: setStatefulSetDefaults,
    prepareForCreate: (set) => {
      set.status = { replicas: 0, availableReplicas: 0 };
      dropDisabledFields(set);
    },
    validate: validateStatefulSet,
    warningsOnCreate: (set) => statefulSetWarnings(set),
    prepareForUpdate: (next, old) => {
      next.status = draftOf(old.status);
      dropDisabledFields(next, old);
    },
    validateUpdate: validateStatefulSetUpdate,
    warningsOnUpdate: statefulSetWarnings,
    validateStatusUpdate: validateStatefulSetStatusUpdate,
  },
  columns: [
    nameColumn,
    { name: "Ready", type: "string", description: "Number of the pod with ready state" },
    ageColumn,
    containersColumn,
    imagesColumn,
  ],
  cells: statefulSetCells,
});

function setStatefulSetDefaults({ spec }: Draft<StatefulSet>): void {
  const strategy = spec.updateStrategy;
  if ((spec.podManagementPolicy ?? "") === "") spec.podManagementPolicy = "OrderedReady";
  if ((strategy.type ?? "") === "") {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === "RollingUpdate" && strategy.rollingUpdate !== undefined) {
    strategy.rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy = {
    whenDeleted: "Retain",
    whenScaled: "Retain",
    ...spec.persistentVolumeClaimRetentionPolicy,
  };
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= DEFAULT_REVISION_HISTORY;
  setPodTemplateDefaults(spec.template);
  setClaimDefaults(spec);
}

function setClaimDefaults(spec: Draft<StatefulSet["spec"]>): void {
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.kind = "PersistentVolumeClaim";
    claim.apiVersion = "v1";
    claim.spec.volumeMode ??= "Filesystem";
    if ((claim.status.phase ?? "") === "") claim.status.phase = "Pending";
  }
}

/** The feature gate of maxUnavailable is off, so the field is dropped rather than rejected. */
function dropDisabledFields({ spec }: Draft<StatefulSet>, old?: StatefulSet): void {
  dropDisabledPodFields(spec.template.spec, old?.spec.template.spec);
  delete spec.updateStrategy.rollingUpdate?.maxUnavailable;
}

function statefulSetWarnings({ spec }: StatefulSet, old?: StatefulSet): string[] {
  const warnings = isEqual(spec, old?.spec)
    ? []
    : podTemplateWarnings(spec.template, "spec.template", old?.spec.template);
  for (const [at, { spec: claim }] of (spec.volumeClaimTemplates ?? []).entries()) {
    const path = `spec.volumeClaimTemplates[${at}].resources`;
    warnings.push(...byteWarnings(claim.resources.requests, `${path}.requests`, ["storage"]));
    warnings.push(...byteWarnings(claim.resources.limits, `${path}.limits`, ["storage"]));
  }
  if ((spec.revisionHistoryLimit ?? 0) < 0) {
    warnings.push(
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; " +
        "a value >= 0 is recommended",
    );
  }
  return warnings;
}

function statefulSetCells({ metadata, spec, status }: StatefulSet, now: Date): Cell[] {
  return [
    metadata.name ?? "",
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    age(metadata.creationTimestamp, now),
    containerNames(spec.template.spec),
    containerImages(spec.template.spec),
  ];
}
