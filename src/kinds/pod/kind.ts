/**
 * Pure: the kind Pod.
 *
 * Read defaults.ts, prepare.ts and validate-spec.ts first, then the rules of updates:
 * validate-update.ts and validate-status.ts. The rules of a pod spec also apply to every template,
 * so other kinds import them from here. Nothing here knows those kinds, a node or a clock.
 */
import type { Pod } from "../../api/generated/core.ts";
import { type DeletionRules, defineKind, type Subresource } from "../kind.ts";
import { appArmorWarnings } from "./app-armor.ts";
import { podCells, podRowConditions } from "./cells.ts";
import { podColumns } from "./columns.ts";
import { setPodDefaults } from "./defaults.ts";
import {
  prepareForCreate,
  prepareForEphemeralContainersUpdate,
  prepareForResize,
  prepareForStatusUpdate,
  prepareForUpdate,
} from "./prepare.ts";
import { validatePod } from "./validate-pod.ts";
import { validatePodResize } from "./validate-resize.ts";
import { validatePodStatusUpdate } from "./validate-status.ts";
import { validateEphemeralContainersUpdate, validatePodUpdate } from "./validate-update.ts";
import { podWarnings } from "./warnings.ts";

const subresources: readonly Subresource[] = [
  { name: "attach", kind: "PodAttachOptions", verbs: ["create", "get"] },
  { name: "binding", kind: "Binding", verbs: ["create"] },
  { name: "ephemeralcontainers", verbs: ["get", "patch", "update"] },
  { name: "eviction", group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] },
  { name: "exec", kind: "PodExecOptions", verbs: ["create", "get"] },
  { name: "log", verbs: ["get"] },
  { name: "portforward", kind: "PodPortForwardOptions", verbs: ["create", "get"] },
  { name: "proxy", kind: "PodProxyOptions", verbs: ["create", "delete", "get", "patch", "update"] },
  { name: "resize", verbs: ["get", "patch", "update"] },
  { name: "status", verbs: ["get", "patch", "update"] },
];

const deletion: DeletionRules<Pod> = {
  gracePeriod: ({ spec, status }, requested) => {
    const isRunning = status.phase !== "Succeeded" && status.phase !== "Failed";
    if ((spec.nodeName ?? "") === "" || !isRunning) return 0;
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
  returnsObject: true,
};

export const podKind = defineKind<Pod>({
  group: "",
  version: "v1",
  kind: "Pod",
  resource: "pods",
  singular: "pod",
  namespaced: true,
  shortNames: ["po"],
  categories: ["all"],
  message: "core/v1.Pod",
  subresources,
  hasGeneration: true,
  sharesParts: true,
  rules: {
    setDefaults: setPodDefaults,
    warningsBeforeCreate: appArmorWarnings,
    prepareForCreate,
    validate: validatePod,
    warningsOnCreate: podWarnings,
    prepareForUpdate,
    validateUpdate: validatePodUpdate,
    prepareForStatusUpdate,
    validateStatusUpdate: validatePodStatusUpdate,
    parts: {
      ephemeralcontainers: {
        prepare: prepareForEphemeralContainersUpdate,
        validate: validateEphemeralContainersUpdate,
      },
      resize: { prepare: prepareForResize, validate: validatePodResize },
    },
  },
  deletion,
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork === true),
    "status.phase": ({ status }) => status.phase ?? "",
    "status.podIP": ({ status }) => status.podIPs?.[0]?.ip ?? "",
    // Kubernetes only knows the name of this field and compares it as if it were never set.
    "status.podIPs": () => "",
    "status.nominatedNodeName": ({ status }) => status.nominatedNodeName ?? "",
  },
  columns: podColumns,
  cells: podCells,
  rowConditions: podRowConditions,
});
