/**
 * Pure: ReplicationControllers, the predecessors of ReplicaSets. Like the other kinds of this
 * folder they are stored and validated, but little else here depends on them.
 */
import { isEqual } from "../../api/equal.ts";
import { type Finding, required } from "../../api/finding.ts";
import type { ReplicationController } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { formatLabels } from "../../api/print/selector.ts";
import { scaleSubresource, statusSubresource } from "../apps/subresources.ts";
import { validateCounts, validateParts } from "../apps/workload-status.ts";
import { validateDisks, validateLasting, validateMatch } from "../apps/workload-template.ts";
import { nameWarnings } from "../job/warnings.ts";
import { defineKind, type Rules } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { validateNonnegative, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";
import { validatePodTemplateSpec } from "../pod/validate-template.ts";
import { podTemplateWarnings } from "../pod/warnings.ts";
import {
  containerImages,
  containerNames,
  containersColumn,
  imagesColumn,
} from "../print/pod-template.ts";

const ABOUT =
  "More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller" +
  "#what-is-a-replicationcontroller";

const PARTS = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

const { validate } = standardRules<ReplicationController>({
  namespaced: true,
  validateContent: (controller) => validateContent(controller),
});

const rules: Rules<ReplicationController> = {
  validate,
  // Kubernetes first validates the whole object, and then the change.
  validateUpdate: (next, old) => [
    ...validate(next),
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateContent(next, old),
  ],
  setDefaults,
  prepareForCreate,
  warningsOnCreate: (controller) => [
    ...nameWarnings(controller.metadata.name ?? ""),
    ...templateWarnings(controller),
  ],
  warningsOnUpdate: (next, old) => (isEqual(next.spec, old.spec) ? [] : templateWarnings(next)),
  validateStatusUpdate: (next, old) => [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateCounts(next.status, ["replicas", ...PARTS, "observedGeneration"]),
    ...validateParts(next.status, PARTS),
  ],
};

function templateWarnings({ spec }: ReplicationController): string[] {
  return spec.template ? podTemplateWarnings(spec.template, "spec.template") : [];
}

export const replicationControllerKind = defineKind<ReplicationController>({
  group: "",
  version: "v1",
  kind: "ReplicationController",
  resource: "replicationcontrollers",
  singular: "replicationcontroller",
  namespaced: true,
  shortNames: ["rc"],
  categories: ["all"],
  message: "core/v1.ReplicationController",
  hasGeneration: true,
  deletion: { orphansByDefault: {} },
  subresources: [scaleSubresource, statusSubresource],
  rules,
  selectableFields: { "status.replicas": ({ status }) => String(status.replicas) },
  columns: [
    nameColumn,
    column(
      "Desired",
      "Replicas is the number of desired replicas. This is a pointer to distinguish between " +
        `explicit zero and unspecified. Defaults to 1. ${ABOUT}`,
      { type: "integer" },
    ),
    column("Current", `Replicas is the most recently observed number of replicas. ${ABOUT}`, {
      type: "integer",
    }),
    column("Ready", "The number of ready replicas for this replication controller.", {
      type: "integer",
    }),
    ageColumn,
    containersColumn,
    imagesColumn,
    column(
      "Selector",
      "Selector is a label query over pods that should match the Replicas count. If Selector is " +
        "empty, it is defaulted to the labels present on the Pod template. Label keys and values " +
        "that must match in order to be controlled by this replication controller, if empty " +
        "defaulted to labels on Pod template. More info: " +
        "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
      { wide: true },
    ),
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? "",
    spec.replicas ?? 0,
    status.replicas,
    status.readyReplicas ?? 0,
    age(metadata.creationTimestamp, now),
    containerNames(spec.template?.spec),
    containerImages(spec.template?.spec),
    formatLabels(spec.selector),
  ],
});

function setDefaults({ metadata, spec }: Draft<ReplicationController>): void {
  const labels = spec.template?.metadata.labels;
  if (labels !== undefined) {
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  }
  spec.replicas ??= 1;
  if (spec.template) setPodTemplateDefaults(spec.template);
}

function prepareForCreate(controller: Draft<ReplicationController>): void {
  controller.status = { replicas: 0 };
}

function validateContent({ spec }: ReplicationController, old?: ReplicationController): Finding[] {
  const { selector = {}, template, replicas = 0, minReadySeconds = 0 } = spec;
  const findings = validateNonnegative(minReadySeconds, "spec.minReadySeconds");
  if (Object.keys(selector).length === 0) findings.push(required("spec.selector"));
  findings.push(...validateNonnegative(replicas, "spec.replicas"));
  if (template === undefined) return [...findings, required("spec.template")];
  return [
    ...findings,
    ...validateMatch({ matchLabels: selector }, template),
    ...validatePodTemplateSpec(template, "spec.template"),
    ...(replicas > 1 ? validateDisks(template, old?.spec.template) : []),
    ...validateLasting(template, "ReplicationController"),
  ];
}
