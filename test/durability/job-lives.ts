/** Lives of Jobs that together make every call the Job controller can make. */
import { INDEXED, POD_SPEC } from "../builders/job.ts";

/** How the pods of an index end, first attempt first; without indexes, how the pods end. */
export type Ends = readonly (number | "runs on" | "restarts" | "disrupted")[];

export interface Life {
  readonly spec: { readonly [field: string]: unknown };
  readonly annotations?: { readonly [name: string]: string };
  /** By index; pods of other indexes succeed. */
  readonly ends?: { readonly [index: number]: Ends };
  /** What a user does before that round of the nodes' work. */
  readonly acts?: { readonly [round: number]: Act };
}

export type Act =
  | { readonly kind: "annotate"; readonly annotations: { readonly [name: string]: string } }
  /** Adds a pod without an owner that the Job selects, or relabels one of the Job's pods. */
  | { readonly kind: "add pod" | "relabel pod" }
  | { readonly kind: "edit"; readonly spec: { readonly [field: string]: unknown } }
  | { readonly kind: "delete"; readonly propagationPolicy: "Background" | "Foreground" };

const FAIL_ON_7 = { action: "FailJob", onExitCodes: { operator: "In", values: [7] } };
const IGNORE_9 = { action: "Ignore", onExitCodes: { operator: "In", values: [9] } };
const IGNORE_DISRUPTED = {
  action: "Ignore",
  onPodConditions: [{ type: "DisruptionTarget", status: "True" }],
};

function edit(spec: { readonly [field: string]: unknown }): Act {
  return { kind: "edit", spec };
}

export const LIVES: { readonly [sentence: string]: Life } = {
  "a Job without indexes and with a failure": {
    spec: { completions: 4, parallelism: 2 },
    ends: { 0: [1] },
  },
  "an Indexed Job": { spec: { ...INDEXED, completions: 5, parallelism: 2 }, ends: { 1: [1, 1] } },
  "an Indexed Job that fails too often": {
    spec: { ...INDEXED, completions: 3, parallelism: 3, backoffLimit: 1 },
    ends: { 0: ["runs on"], 2: [1, 1] },
  },
  "a Job with a back-off limit per index": {
    spec: { ...INDEXED, completions: 4, parallelism: 3, backoffLimitPerIndex: 1 },
    ends: { 0: [1, 1], 2: [1, 0] },
  },
  "a Job that tolerates one failed index": {
    spec: {
      ...INDEXED,
      completions: 4,
      parallelism: 4,
      backoffLimitPerIndex: 0,
      maxFailedIndexes: 1,
    },
    ends: { 0: [1], 1: [1], 3: ["runs on"] },
  },
  "a Job whose failure policy first ignores a failure and then fails it": {
    spec: {
      ...INDEXED,
      completions: 3,
      podFailurePolicy: { rules: [FAIL_ON_7, IGNORE_9, IGNORE_DISRUPTED] },
    },
    ends: { 0: [9, "disrupted"], 1: ["runs on"], 2: [0], 3: [7] },
    acts: { 3: edit({ completions: 4, parallelism: 4 }) },
  },
  "a Job with a success policy": {
    spec: {
      ...INDEXED,
      backoffLimit: 1,
      successPolicy: { rules: [{ succeededIndexes: "1-3", succeededCount: 2 }] },
    },
    ends: { 0: ["runs on"], 2: [1] },
  },
  "a Job that is suspended and resumed": {
    spec: { ...INDEXED, completions: 4, parallelism: 2 },
    ends: { 1: ["runs on"] },
    acts: { 1: edit({ suspend: true }), 3: edit({ suspend: false }) },
  },
  "a Job that exceeds its deadline": {
    spec: { ...INDEXED, completions: 3, parallelism: 2, activeDeadlineSeconds: 100 },
    ends: { 1: ["runs on"] },
  },
  "a Job that replaces pods only after they have ended": {
    spec: { ...INDEXED, completions: 3, parallelism: 2, podReplacementPolicy: "Failed" },
    ends: { 0: ["runs on"], 1: ["runs on"] },
    acts: { 1: edit({ parallelism: 0 }), 2: edit({ parallelism: 2 }) },
  },
  "a work queue": { spec: { parallelism: 3 }, ends: { 0: [1], 1: ["runs on"] } },
  "a Job whose containers restart": {
    spec: {
      parallelism: 2,
      completions: 2,
      backoffLimit: 3,
      template: { spec: { ...POD_SPEC, restartPolicy: "OnFailure" } },
    },
    ends: { 0: ["restarts"] },
  },
  "a Job that is scaled down, then up": {
    spec: { ...INDEXED, completions: 4, parallelism: 4 },
    ends: { 0: ["runs on"], 1: ["runs on"] },
    acts: {
      1: edit({ completions: 2, parallelism: 2 }),
      2: edit({ completions: 5, parallelism: 5 }),
    },
  },
  "a Job that adopts a pod and releases one": {
    spec: {
      completions: 3,
      parallelism: 2,
      manualSelector: true,
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: POD_SPEC },
    },
    ends: { 0: ["runs on"], 1: ["runs on"] },
    acts: { 1: { kind: "relabel pod" }, 2: { kind: "add pod" }, 3: edit({ parallelism: 3 }) },
  },
  "a Job that reruns indexes": {
    spec: { ...INDEXED, completions: 4, parallelism: 2, backoffLimitPerIndex: 0 },
    ends: { 0: [1, 0], 1: [0, 1], 2: ["runs on"] },
    acts: {
      2: { kind: "annotate", annotations: { "tallyjob.io/rerun-indexes": "0,1" } },
      5: edit({ parallelism: 3 }),
    },
  },
  "a Job that starts in the middle and keeps no pods": {
    spec: { ...INDEXED, completions: 5, parallelism: 2 },
    annotations: { "tallyjob.io/completed-indexes": "0,3", "tallyjob.io/keep-pods": "none" },
    ends: { 1: [1] },
  },
  "a Job that is deleted while its pods run": {
    spec: { ...INDEXED, completions: 3, parallelism: 2 },
    ends: { 1: ["runs on"], 2: ["runs on"] },
    acts: { 2: { kind: "delete", propagationPolicy: "Background" } },
  },
  "a Job that is deleted after its pods (foreground)": {
    spec: { ...INDEXED, completions: 3, parallelism: 2 },
    ends: { 1: ["runs on"], 2: ["runs on"] },
    acts: { 2: { kind: "delete", propagationPolicy: "Foreground" } },
  },
};
