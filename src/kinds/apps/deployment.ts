/** The Deployment: stored for clients that expect it; no controller here rolls it out. */
import { isEqual } from "../../api/equal.ts";
import type { Deployment } from "../../api/generated/apps.ts";
import { type Draft, kept } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { formatLabelSelector } from "../../api/print/selector.ts";
import { type Cell, defineKind } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";
import {
  containerImages,
  containerNames,
  containersColumn,
  imagesColumn,
} from "../print/pod-template.ts";
import { validateDeploymentSpec, validateDeploymentStatus } from "./deployment-validate.ts";
import { scaleSubresource, statusSubresource } from "./subresources.ts";
import { unattendedRules } from "./unattended.ts";

const DEFAULT_REVISION_HISTORY = 10;
const DEFAULT_PROGRESS_DEADLINE_SECONDS = 600;

const rules = unattendedRules<Deployment>({
  setDefaults: setDeploymentDefaults,
  namesPods: true,
  emptyStatus: {},
  validateSpec: validateDeploymentSpec,
  validateStatus: validateDeploymentStatus,
  isCheckedTwice: false,
});

export const deploymentKind = defineKind<Deployment>({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  resource: "deployments",
  singular: "deployment",
  namespaced: true,
  shortNames: ["deploy"],
  categories: ["all"],
  message: "apps/v1.Deployment",
  subresources: [scaleSubresource, statusSubresource],
  hasGeneration: true,
  rules: {
    ...rules,
    prepareForUpdate: (next, old) => {
      rules.prepareForUpdate?.(next, old);
      // Annotations are copied to the ReplicaSets, so a change of them counts as a new generation.
      if (isEqual(next.metadata.annotations, old.metadata.annotations)) return;
      next.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    prepareForStatusUpdate: (next, old) => {
      next.spec = kept(old.spec);
      if (old.metadata.labels === undefined) delete next.metadata.labels;
      else next.metadata.labels = kept(old.metadata.labels);
    },
  },
  columns: [
    nameColumn,
    { name: "Ready", type: "string", description: "Number of the pod with ready state" },
    {
      name: "Up-to-date",
      type: "string",
      description:
        "Total number of non-terminating pods targeted by this deployment that have the desired " +
        "template spec.",
    },
    {
      name: "Available",
      type: "string",
      description:
        "Total number of available non-terminating pods (ready for at least minReadySeconds) " +
        "targeted by this deployment.",
    },
    ageColumn,
    containersColumn,
    imagesColumn,
    {
      name: "Selector",
      type: "string",
      priority: 1,
      description:
        "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be " +
        "the ones affected by this deployment. It must match the pod template's labels.",
    },
  ],
  cells: deploymentCells,
});

function setDeploymentDefaults({ spec }: Draft<Deployment>): void {
  const { strategy } = spec;
  spec.replicas ??= 1;
  if ((strategy.type ?? "") === "") strategy.type = "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate = { maxUnavailable: "25%", maxSurge: "25%", ...strategy.rollingUpdate };
  }
  spec.revisionHistoryLimit ??= DEFAULT_REVISION_HISTORY;
  spec.progressDeadlineSeconds ??= DEFAULT_PROGRESS_DEADLINE_SECONDS;
  setPodTemplateDefaults(spec.template);
}

function deploymentCells({ metadata, spec, status }: Deployment, now: Date): Cell[] {
  const selector = formatLabelSelector(spec.selector);
  return [
    metadata.name ?? "",
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    status.updatedReplicas ?? 0,
    status.availableReplicas ?? 0,
    age(metadata.creationTimestamp, now),
    containerNames(spec.template.spec),
    containerImages(spec.template.spec),
    selector === "<none>" ? "" : selector,
  ];
}
