import { expect, test } from "vitest";
import { without } from "../../../test/builders/feature-gates.ts";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { DEFAULT_FEATURE_GATES, type Feature } from "../../api/feature-gates.ts";
import type { JobStatus } from "../../api/generated/batch.ts";
import {
  effectiveJob,
  effectiveManagerOf,
  findSkip,
  shownStatus,
  withEarlierEnd,
} from "./gates.ts";
import { podFactory } from "./new-pod.ts";
import type { ComposedStatus } from "./status.ts";
import type { Verdict } from "./verdict.ts";

test.each<[string, string | undefined, Feature[], string | undefined]>([
  ["an Indexed Job is synced", "Indexed", [], undefined],
  [
    "an Indexed Job is skipped without the feature IndexedJob",
    "Indexed",
    ["IndexedJob"],
    "IndexedJobDisabled",
  ],
  [
    "a NonIndexed Job is synced without the feature IndexedJob",
    "NonIndexed",
    ["IndexedJob"],
    undefined,
  ],
  ["a Job without a completion mode is synced", undefined, [], undefined],
  ["a Job with an unknown completion mode is skipped", "Sorted", [], "UnknownCompletionMode"],
  [
    "a Job with an unknown completion mode is skipped without IndexedJob too",
    "Sorted",
    ["IndexedJob"],
    "UnknownCompletionMode",
  ],
])("%s", (_name, completionMode, off, reason) => {
  const { spec, ...job } = aJob();
  const { completionMode: _default, ...rest } = spec;
  const asked = { ...job, spec: completionMode ? { ...rest, completionMode } : rest };
  expect(findSkip(asked, without(...off))?.reason).toBe(reason);
});

test("without JobManagedBy every Job belongs to the built-in controller", () => {
  const job = aJob({ managedBy: "example.com/other" });
  expect(effectiveManagerOf(job, DEFAULT_FEATURE_GATES)).toBe("example.com/other");
  expect(effectiveManagerOf(job, without("JobManagedBy"))).toBe("kubernetes.io/job-controller");
});

const JOB = aJob({
  ...INDEXED,
  backoffLimitPerIndex: 1,
  maxFailedIndexes: 2,
  podFailurePolicy: { rules: [] },
  successPolicy: { rules: [{ succeededCount: 1 }] },
  podReplacementPolicy: "Failed",
});

test.each<[Feature, readonly string[]]>([
  ["JobBackoffLimitPerIndex", ["backoffLimitPerIndex", "maxFailedIndexes"]],
  ["JobPodFailurePolicy", ["podFailurePolicy"]],
  ["JobSuccessPolicy", ["successPolicy"]],
  ["JobPodReplacementPolicy", ["podReplacementPolicy"]],
])("without %s the controller ignores only %j", (feature, fields) => {
  const { spec } = effectiveJob(JOB, without(feature));
  const expected = Object.entries(JOB.spec).filter(([field]) => !fields.includes(field));
  expect(spec).toEqual(Object.fromEntries(expected));
});

test("if no used feature is off, the same Job object is returned", () => {
  expect(effectiveJob(JOB, DEFAULT_FEATURE_GATES)).toBe(JOB);
  const plain = aJob();
  expect(effectiveJob(plain, without("JobSuccessPolicy", "JobPodFailurePolicy"))).toBe(plain);
});

test("status.terminating is only shown with JobPodReplacementPolicy", () => {
  const status = { active: 1, ready: 0, terminating: 2 };
  expect(shownStatus(status, DEFAULT_FEATURE_GATES)).toBe(status);
  const shown = shownStatus(status, without("JobPodReplacementPolicy"));
  expect(shown).toEqual({ active: 1, ready: 0 });
});

function ending(verdict: Verdict): ComposedStatus {
  const status: JobStatus = { terminating: 1, conditions: [{ ...verdict, status: "True" }] };
  const releases = { pods: [], succeeded: [], failed: [], actions: [], hasMore: false };
  return { status, releases, verdict };
}

const EXCEEDED: Verdict = { type: "FailureTarget", reason: "BackoffLimitExceeded", message: "" };
const BY_POLICY: Verdict = { type: "FailureTarget", reason: "PodFailurePolicy", message: "" };
const REACHED: Verdict = { type: "SuccessCriteriaMet", reason: "CompletionsReached", message: "" };
const MET: Verdict = { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: "" };

test.each([
  [EXCEEDED, 0],
  [REACHED, 0],
  [BY_POLICY, 1],
  [MET, 1],
])(
  "without both features, only an end caused by a policy is announced: %j",
  (verdict, announced) => {
    const composed = ending(verdict);
    expect(withEarlierEnd(composed, JOB, without("JobManagedBy"))).toBe(composed);
    expect(withEarlierEnd(composed, JOB, without("JobPodReplacementPolicy"))).toBe(composed);
    const off = without("JobManagedBy", "JobPodReplacementPolicy");
    const { status } = withEarlierEnd(composed, JOB, off);
    expect(status.conditions ?? []).toHaveLength(announced);
    expect(status.terminating).toBe(undefined);
    const conditions = [{ type: verdict.type, status: "True" }];
    const already = { ...JOB, status: { conditions } };
    expect(withEarlierEnd(composed, already, off).status.conditions).toHaveLength(1);
  },
);

test("without PodIndexLabel the index variable is read from the annotation", () => {
  const key = "batch.kubernetes.io/job-completion-index";
  const pod = podFactory(aJob(INDEXED), without("PodIndexLabel"))({ index: 2 });
  expect(pod.metadata.labels).not.toHaveProperty(key);
  expect(pod.metadata.annotations).toEqual({ [key]: "2" });
  const fieldRef = { fieldPath: `metadata.annotations['${key}']` };
  const env = [{ name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef } }];
  expect(pod.spec.containers?.[0]?.env).toEqual(env);
});
