/** The ReplicaSet: stored for clients that expect it; no controller here creates its pods. */
import type { Finding } from "../../api/finding.ts";
import type { ReplicaSet } from "../../api/generated/apps.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { formatLabelSelector } from "../../api/print/selector.ts";
import { type Cell, defineKind } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";
import { validateNonnegative } from "../meta/object-meta.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";
import {
  containerImages,
  containerNames,
  containersColumn,
  imagesColumn,
} from "../print/pod-template.ts";
import { scaleSubresource, statusSubresource } from "./subresources.ts";
import { unattendedRules } from "./unattended.ts";
import { validateCounts, validateParts } from "./workload-status.ts";
import { validateReplicated } from "./workload-template.ts";

const MORE = "https://kubernetes.io/docs/concepts/workloads/controllers/replicaset";

export const replicaSetKind = defineKind<ReplicaSet>({
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  resource: "replicasets",
  singular: "replicaset",
  namespaced: true,
  shortNames: ["rs"],
  categories: ["all"],
  message: "apps/v1.ReplicaSet",
  subresources: [scaleSubresource, statusSubresource],
  hasGeneration: true,
  rules: unattendedRules<ReplicaSet>({
    setDefaults: setReplicaSetDefaults,
    namesPods: true,
    emptyStatus: { replicas: 0 },
    validateSpec,
    validateStatus,
    isCheckedTwice: true,
  }),
  columns: [
    nameColumn,
    {
      name: "Desired",
      type: "integer",
      description:
        "Replicas is the number of desired pods. This is a pointer to distinguish between " +
        `explicit zero and unspecified. Defaults to 1. More info: ${MORE}`,
    },
    {
      name: "Current",
      type: "integer",
      description:
        "Replicas is the most recently observed number of non-terminating pods. " +
        `More info: ${MORE}`,
    },
    {
      name: "Ready",
      type: "integer",
      description:
        "The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.",
    },
    ageColumn,
    containersColumn,
    imagesColumn,
    {
      name: "Selector",
      type: "string",
      priority: 1,
      description:
        "Selector is a label query over pods that should match the replica count. Label keys " +
        "and values that must match in order to be controlled by this replica set. It must " +
        "match the pod template's labels. More info: " +
        "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
    },
  ],
  cells: replicaSetCells,
});

function validateSpec({ spec }: ReplicaSet, old?: ReplicaSet): Finding[] {
  return [
    ...validateNonnegative(spec.replicas ?? 0, "spec.replicas"),
    ...validateNonnegative(spec.minReadySeconds ?? 0, "spec.minReadySeconds"),
    ...validateReplicated(spec, old?.spec),
  ];
}

const PARTS = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

function validateStatus({ status }: ReplicaSet): Finding[] {
  const counters = ["replicas", ...PARTS, "terminatingReplicas", "observedGeneration"];
  return [...validateCounts(status, counters), ...validateParts(status, PARTS)];
}

function setReplicaSetDefaults({ spec }: Draft<ReplicaSet>): void {
  spec.replicas ??= 1;
  setPodTemplateDefaults(spec.template);
}

function replicaSetCells({ metadata, spec, status }: ReplicaSet, now: Date): Cell[] {
  return [
    metadata.name ?? "",
    spec.replicas ?? 0,
    status.replicas,
    status.readyReplicas ?? 0,
    age(metadata.creationTimestamp, now),
    containerNames(spec.template.spec),
    containerImages(spec.template.spec),
    formatLabelSelector(spec.selector),
  ];
}
