import { expect, test } from "vitest";
import { patched } from "../../../test/builders/created.ts";
import { aJob, INDEXED, POD_SPEC } from "../../../test/builders/job.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import type { Json } from "../../api/object.ts";
import { jobKind } from "./kind.ts";

type Body = { [key: string]: Json };

function problemsOf(old: Job, patch: Body): string[] {
  const next = patched(jobKind, old, patch);
  const found = jobKind.rules.validateUpdate(next, old).map(formatFinding);
  return found.map((text) => text.replace(/Invalid value: {"(metadata|containers)".*}:/, "…"));
}

function changeOf(old: Body, spec: Body): string[] {
  return problemsOf(aJob(old), { spec });
}

const SUSPENDED = { suspend: true };
const IMMUTABLE = "field is immutable";
const TEMPLATE = [`spec.template: … ${IMMUTABLE}`];
const POD = [`spec.template.spec: … ${IMMUTABLE}`];
const PER_INDEX = { ...INDEXED, backoffLimitPerIndex: 1 };

test.each<[string, Body, Body]>([
  ["parallelism", {}, { parallelism: 9 }],
  ["limits", {}, { backoffLimit: 9, activeDeadlineSeconds: 9, ttlSecondsAfterFinished: 9 }],
  ["suspend", {}, { suspend: true }],
  ["maxFailedIndexes", PER_INDEX, { maxFailedIndexes: 3 }],
  ["podReplacementPolicy", {}, { podReplacementPolicy: "Failed" }],
  ["completions with parallelism", INDEXED, { completions: 9, parallelism: 9 }],
  ["completions to the present parallelism", INDEXED, { completions: 3 }],
])("%s may change", (_name, old, spec) => {
  expect(changeOf(old, spec)).toEqual([]);
});

test.each<[string, Body, Body, string[]]>([
  ["completions", {}, { completions: 2 }, [`spec.completions: Invalid value: 2: ${IMMUTABLE}`]],
  [
    "completions, removed",
    {},
    { completions: null },
    [`spec.completions: Invalid value: null: ${IMMUTABLE}`],
  ],
  [
    "completions of an Indexed Job to none",
    INDEXED,
    { completions: null },
    // Reported for the new spec and for the change; an answer contains it once.
    Array(2).fill("spec.completions: Required value: when completion mode is Indexed"),
  ],
  [
    "completions of an Indexed Job alone",
    INDEXED,
    { completions: 9 },
    ["spec.completions: Invalid value: 9: can only be modified in tandem with spec.parallelism"],
  ],
  [
    "completionMode",
    INDEXED,
    { completionMode: "NonIndexed" },
    [`spec.completionMode: Invalid value: "NonIndexed": ${IMMUTABLE}`],
  ],
  [
    "podFailurePolicy",
    { podReplacementPolicy: "Failed" },
    { podFailurePolicy: { rules: [] } },
    [`spec.podFailurePolicy: Invalid value: {"Rules":[]}: ${IMMUTABLE}`],
  ],
  [
    "backoffLimitPerIndex",
    PER_INDEX,
    { backoffLimitPerIndex: 2 },
    [`spec.backoffLimitPerIndex: Invalid value: 2: ${IMMUTABLE}`],
  ],
  [
    "managedBy",
    { managedBy: "a.b/c" },
    { managedBy: null },
    [`spec.managedBy: Invalid value: null: ${IMMUTABLE}`],
  ],
  [
    "successPolicy",
    { ...INDEXED, successPolicy: { rules: [{ succeededCount: 1 }] } },
    { successPolicy: null },
    [`spec.successPolicy: Invalid value: null: ${IMMUTABLE}`],
  ],
])("%s may not change", (_name, old, spec, problems) => {
  expect(changeOf(old, spec)).toEqual(problems);
});

test("problems of the spec itself are reported twice", () => {
  const problem = "spec.parallelism: Invalid value: -1: must be greater than or equal to 0";
  expect(changeOf({}, { parallelism: -1 })).toEqual([problem, problem]);
});

test("a removed selector is reported as missing twice, and once as a change", () => {
  const kinds = changeOf({}, { selector: null }).map((text) => text.split(":")[0]);
  const twice = ["spec.selector", "spec.template.metadata.labels"];
  expect(kinds).toEqual([...twice, ...twice, "spec.selector"]);
});

function podChange(change: Body): Body {
  return { template: { spec: change } };
}

const SCHEDULING: [string, Body][] = [
  ["nodeSelector", { nodeSelector: { a: "b" } }],
  ["tolerations", { tolerations: [{ operator: "Exists" }] }],
  ["schedulingGates", { schedulingGates: [{ name: "example.com/gate" }] }],
  ["node affinity", { affinity: { nodeAffinity: {} } }],
];

test.each(SCHEDULING)(
  "%s may change while the Job is suspended, not while it runs",
  (_, change) => {
    expect(changeOf(SUSPENDED, podChange(change))).toEqual([]);
    expect(changeOf({}, podChange(change))).toEqual(TEMPLATE);
    expect(changeOf({}, { ...SUSPENDED, ...podChange(change) })).toEqual(TEMPLATE);
  },
);

test("template labels and annotations may change while the Job is suspended", () => {
  const template = { metadata: { labels: { a: "b" }, annotations: { c: "d" } } };
  expect(changeOf(SUSPENDED, { template })).toEqual([]);
  expect(changeOf({}, { template })).toEqual(TEMPLATE);
});

const [CONTAINER] = POD_SPEC.containers;
const RESOURCES = { resources: { limits: { cpu: "1" } } };

test("resources may change while the Job is suspended, other fields of a container may not", () => {
  const resized = podChange({ containers: [{ ...CONTAINER, ...RESOURCES }] });
  expect(changeOf(SUSPENDED, resized)).toEqual([]);
  expect(changeOf({}, resized)).toEqual(TEMPLATE);
  const renamed = podChange({ containers: [{ ...CONTAINER, ...RESOURCES, name: "d" }] });
  expect(changeOf(SUSPENDED, renamed)).toEqual(POD);
  const another = podChange({ containers: [{ ...CONTAINER, image: "other:1" }] });
  expect(changeOf(SUSPENDED, another)).toEqual(POD);
  const more = podChange({ containers: [CONTAINER ?? {}, { name: "d", image: "d:1" }] });
  expect(changeOf(SUSPENDED, more)).toEqual(POD);
});

const TERM = { weight: 1, podAffinityTerm: { topologyKey: "zone", labelSelector: {} } };
const NODE_TERM = { weight: 1, preference: { matchExpressions: [] } };
const POD_AFFINITY = { preferredDuringSchedulingIgnoredDuringExecution: [TERM] };
const NODE_AFFINITY = { preferredDuringSchedulingIgnoredDuringExecution: [NODE_TERM] };

function suspendedWith(affinity: Body): Body {
  return { ...SUSPENDED, template: { spec: { ...POD_SPEC, affinity } } };
}

test("an affinity may be removed only if it contained just node affinity", () => {
  const gone = podChange({ affinity: null });
  expect(changeOf(suspendedWith({ nodeAffinity: NODE_AFFINITY }), gone)).toEqual([]);
  const both = { nodeAffinity: NODE_AFFINITY, podAffinity: POD_AFFINITY };
  expect(changeOf(suspendedWith(both), gone)).toEqual(POD);
  const alone = podChange({ affinity: { nodeAffinity: null } });
  expect(changeOf(suspendedWith(both), alone)).toEqual([]);
});

test.each<[string, JobStatus, string[]]>([
  ["not started", {}, []],
  ["started, not yet stopped", { startTime: "2024-01-01T00:00:00Z" }, TEMPLATE],
  [
    "stopped",
    {
      startTime: "2024-01-01T00:00:00Z",
      conditions: [{ type: "Suspended", status: "True" }],
    },
    [],
  ],
  [
    "stopped, with pods that still run",
    { active: 1, conditions: [{ type: "Suspended", status: "True" }] },
    TEMPLATE,
  ],
])("a suspended Job that has %s", (_name, status, problems) => {
  const old = { ...aJob(SUSPENDED), status };
  expect(problemsOf(old, { spec: podChange({ nodeSelector: { a: "b" } }) })).toEqual(problems);
});

test("generated labels may not be removed, unless the old Job did not have them", () => {
  const labels = { "batch.kubernetes.io/job-name": null };
  const patch = { spec: { template: { metadata: { labels } } } };
  expect(problemsOf(aJob(SUSPENDED), patch)).toEqual([
    "spec.template.metadata.labels[batch.kubernetes.io/job-name]: Required value: must be 'j'",
  ]);
  const old = patched<Job>(jobKind, aJob(SUSPENDED), patch);
  const uid = old.metadata.uid ?? "";
  old.spec.selector = { matchLabels: { "controller-uid": uid } };
  expect(problemsOf(old, {})).toEqual([]);
});
