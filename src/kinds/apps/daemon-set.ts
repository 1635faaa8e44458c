/** The DaemonSet: stored for clients that expect it; no controller here creates its pods. */
import { isEqual } from "../../api/equal.ts";
import type { DaemonSet } from "../../api/generated/apps.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { formatLabelSelector, formatLabels } from "../../api/print/selector.ts";
import { type Cell, type Column, defineKind } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";
import {
  containerImages,
  containerNames,
  containersColumn,
  imagesColumn,
} from "../print/pod-template.ts";
import { validateDaemonSetSpec, validateDaemonSetStatus } from "./daemon-set-validate.ts";
import { statusSubresource } from "./subresources.ts";
import { unattendedRules } from "./unattended.ts";

const DEFAULT_REVISION_HISTORY = 10;
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";
const MORE = "https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/";

const columns: readonly Column[] = [
  nameColumn,
  count(
    "Desired",
    "The total number of nodes that should be running the daemon pod (including nodes correctly " +
      `running the daemon pod). More info: ${MORE}`,
  ),
  count(
    "Current",
    "The number of nodes that are running at least 1 daemon pod and are supposed to run the " +
      `daemon pod. More info: ${MORE}`,
  ),
  count(
    "Ready",
    "numberReady is the number of nodes that should be running the daemon pod and have one or " +
      "more of the daemon pod running with a Ready Condition.",
  ),
  count("Up-to-date", "The total number of nodes that are running updated daemon pod"),
  count(
    "Available",
    "The number of nodes that should be running the daemon pod and have one or more of the " +
      "daemon pod running and available (ready for at least spec.minReadySeconds)",
  ),
  {
    name: "Node Selector",
    type: "string",
    description:
      "NodeSelector is a selector which must be true for the pod to fit on a node. Selector " +
      "which must match a node's labels for the pod to be scheduled on that node. More info: " +
      "https://kubernetes.io/docs/concepts/configuration/assign-pod-node/",
  },
  ageColumn,
  containersColumn,
  imagesColumn,
  {
    name: "Selector",
    type: "string",
    priority: 1,
    description:
      "A label query over pods that are managed by the daemon set. Must match in order to be " +
      "controlled. It must match the pod template's labels. More info: " +
      "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
  },
];

const rules = unattendedRules<DaemonSet>({
  setDefaults: setDaemonSetDefaults,
  emptyStatus: {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  },
  validateSpec: validateDaemonSetSpec,
  validateStatus: validateDaemonSetStatus,
  isCheckedTwice: true,
});

export const daemonSetKind = defineKind<DaemonSet>({
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  resource: "daemonsets",
  singular: "daemonset",
  namespaced: true,
  shortNames: ["ds"],
  categories: ["all"],
  message: "apps/v1.DaemonSet",
  subresources: [statusSubresource],
  hasGeneration: true,
  rules: {
    ...rules,
    prepareForCreate: (set) => {
      rules.prepareForCreate?.(set);
      setTemplateGeneration(set, Math.max(1, templateGeneration(set)));
    },
    prepareForUpdate: (next, old) => {
      rules.prepareForUpdate?.(next, old);
      const isSame = isEqual(next.spec.template, old.spec.template);
      setTemplateGeneration(next, templateGeneration(old) + (isSame ? 0 : 1));
    },
  },
  columns,
  cells: daemonSetCells,
});

function count(name: string, description: string): Column {
  return { name, type: "integer", description };
}

/** Replaces a removed field. The oldest clients still look for the value in this annotation. */
function templateGeneration({ metadata }: Draft<DaemonSet> | DaemonSet): number {
  return Number.parseInt(metadata.annotations?.[TEMPLATE_GENERATION] ?? "0", 10) || 0;
}

function setTemplateGeneration({ metadata }: Draft<DaemonSet>, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: `${generation}` };
}

/** The annotation holds a number and is always set, even if no client sent it. */
function setDaemonSetDefaults(set: Draft<DaemonSet>): void {
  const { spec } = set;
  setTemplateGeneration(set, templateGeneration(set));
  const strategy = spec.updateStrategy;
  if ((strategy.type ?? "") === "") strategy.type = "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...strategy.rollingUpdate };
  }
  spec.revisionHistoryLimit ??= DEFAULT_REVISION_HISTORY;
  setPodTemplateDefaults(spec.template);
}

function daemonSetCells({ metadata, spec, status }: DaemonSet, now: Date): Cell[] {
  return [
    metadata.name ?? "",
    status.desiredNumberScheduled,
    status.currentNumberScheduled,
    status.numberReady,
    status.updatedNumberScheduled ?? 0,
    status.numberAvailable ?? 0,
    formatLabels(spec.template.spec.nodeSelector),
    age(metadata.creationTimestamp, now),
    containerNames(spec.template.spec),
    containerImages(spec.template.spec),
    formatLabelSelector(spec.selector),
  ];
}
