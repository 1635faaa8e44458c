/**
 * Pure: ReplicationControllers, the forerunners of ReplicaSets. Like the other kinds of this folder
 * they are stored and checked, while little else here depends on them.
 */
import { type Finding, invalid, required } from "../../api/finding.ts";
import type { ReplicationController } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { scaleSubresource, statusSubresource } from "../apps/subresources.ts";
import { unattendedWarning } from "../apps/unattended.ts";
import { defineKind, type Rules } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { validateNonnegative, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";
import { age } from "../print/age.ts";
import { containerImages, containerNames } from "../print/pod-template.ts";
import { formatLabels } from "../print/selector.ts";

const rules: Rules<ReplicationController> = {
  ...standardRules({ namespaced: true, validateContent }),
  setDefaults,
  prepareForCreate,
  validateStatusUpdate: (next, old) => validateObjectMetaUpdate(next.metadata, old.metadata),
};

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
  subresources: [scaleSubresource, statusSubresource],
  rules,
  selectableFields: { "status.replicas": ({ status }) => String(status.replicas) },
  columns: [
    nameColumn,
    column("Desired", "How many pods are asked for.", { type: "integer" }),
    column("Current", "How many pods there are.", { type: "integer" }),
    column("Ready", "How many pods are ready.", { type: "integer" }),
    ageColumn,
    column("Containers", "The containers of each pod.", { wide: true }),
    column("Images", "The images of these containers.", { wide: true }),
    column("Selector", "The labels by which the pods are found.", { wide: true }),
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
  unattended: unattendedWarning("ReplicationControllers"),
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

function validateContent({ spec }: ReplicationController): Finding[] {
  const { selector = {}, template, replicas = 0, minReadySeconds = 0 } = spec;
  const findings = validateNonnegative(minReadySeconds, "spec.minReadySeconds");
  if (Object.keys(selector).length === 0) findings.push(required("spec.selector"));
  findings.push(...validateNonnegative(replicas, "spec.replicas"));
  if (template === undefined) return [...findings, required("spec.template")];
  const labels = template.metadata.labels ?? {};
  const isSelected = Object.entries(selector).every(([key, value]) => labels[key] === value);
  if (isSelected) return findings;
  const detail = "`selector` does not match template `labels`";
  return [...findings, invalid("spec.template.metadata.labels", labels, detail)];
}
