import { expect, test } from "vitest";
import { created, patched } from "../../../test/builders/created.ts";
import { POD_SPEC } from "../../../test/builders/job.ts";
import { formatFinding } from "../../api/finding.ts";
import type { JobTemplate, ScheduledJob, Workflow } from "../../api/generated/tallyjob.ts";
import type { Json } from "../../api/object.ts";
import { jobTemplateKind } from "./job-template.ts";
import { scheduledJobKind } from "./scheduled-job.ts";
import { workflowKind } from "./workflow.ts";

type Body = { [key: string]: Json };

const template: Body = { spec: { template: { spec: POD_SPEC } } };
const runAt = "2026-07-21T14:00:00Z";

function aScheduledJob(spec: Body = {}, metadata: Body = {}) {
  const whole = { runAt, jobTemplate: template, ...spec };
  return created<ScheduledJob>(scheduledJobKind, { metadata, spec: whole });
}

function aWorkflow(spec: Body, metadata: Body = {}) {
  return created<Workflow>(workflowKind, { metadata, spec });
}

const named = (...names: string[]): Json => names.map((name) => ({ name, template }));
const problemsOf = (spec: Body, metadata: Body = {}) =>
  workflowKind.rules.validate(aWorkflow(spec, metadata)).map(formatFinding);

test("templates of Jobs only get the defaults of pods", () => {
  const { spec } = created<JobTemplate>(jobTemplateKind, { spec: { template } });
  expect(Object.keys(spec.template.spec)).toEqual(["template"]);
  expect(spec.template.spec.template.spec.dnsPolicy).toBe("ClusterFirst");
  expect(aScheduledJob().spec.jobTemplate.spec).toEqual(spec.template.spec);
  const workflow = aWorkflow({ jobs: named("a") });
  expect(workflow.spec.jobs?.[0]?.template?.spec).toEqual(spec.template.spec);
  expect(workflow.spec).toMatchObject({ suspend: false, retries: 0 });
});

test("a template is validated like a Job", () => {
  const wrong = { spec: { parallelism: -1, template: { spec: POD_SPEC } } };
  const object = created<JobTemplate>(jobTemplateKind, { spec: { template: wrong } });
  expect(jobTemplateKind.rules.validate(object).map(formatFinding)).toEqual([
    "spec.template.spec.parallelism: Invalid value: -1: must be greater than or equal to 0",
  ]);
});

test.each<[string, Body, string[]]>([
  [
    "with two steps in order",
    { jobs: named("a", "b"), dependencies: [{ before: "a", after: "b" }] },
    [],
  ],
  ["without steps", { jobs: [] }, ["spec.jobs: Required value: must have at least one job"]],
  [
    "with a duplicate name",
    { jobs: named("a", "b", "a") },
    ['spec.jobs[2].name: Duplicate value: "a"'],
  ],
  ["with a step without name", { jobs: [{ template }] }, ["spec.jobs[0].name: Required value"]],
  [
    "with a step without template",
    { jobs: [{ name: "a" }] },
    ["spec.jobs[0]: Required value: must have either `template` or `templateRef`"],
  ],
  [
    "with a step with template and templateRef",
    { jobs: [{ name: "a", template, templateRef: { name: "t" } }] },
    ["spec.jobs[0].templateRef: Forbidden: may not be specified when `template` is"],
  ],
  [
    "with an empty reference",
    { jobs: [{ name: "a", templateRef: {} }] },
    ["spec.jobs[0].templateRef.name: Required value"],
  ],
  [
    "with unknown names",
    {
      jobs: [{ name: "a", template, dependsOn: ["x", "x"] }],
      dependencies: [{ before: "a", after: "y" }, { after: "a" }],
    },
    [
      'spec.jobs[0].dependsOn[0]: Not found: "x"',
      'spec.jobs[0].dependsOn[1]: Duplicate value: "x"',
      'spec.dependencies[0].after: Not found: "y"',
      "spec.dependencies[1].before: Required value",
    ],
  ],
  [
    "with a cycle",
    {
      jobs: named("a", "b", "c", "d"),
      dependencies: [
        { before: "a", after: "b" },
        { before: "b", after: "c" },
        { before: "c", after: "b" },
        { before: "c", after: "d" },
      ],
    },
    ['spec.dependencies: Invalid value: "b -> c -> b": must not form a cycle'],
  ],
  [
    "with a step that depends on itself",
    { jobs: [{ name: "a", template, dependsOn: ["a"] }] },
    ['spec.jobs: Invalid value: "a -> a": must not form a cycle'],
  ],
  [
    "with a cycle declared in both ways",
    {
      jobs: [
        { name: "a", template, dependsOn: ["b"] },
        { name: "b", template },
      ],
      dependencies: [{ before: "a", after: "b" }],
    },
    ['spec.dependencies: Invalid value: "a -> b -> a": must not form a cycle'],
  ],
  [
    "with a duplicate dependency",
    {
      jobs: named("a", "b"),
      dependencies: [
        { before: "a", after: "b" },
        { before: "a", after: "b" },
      ],
    },
    ['spec.dependencies[1]: Duplicate value: {"before":"a","after":"b"}'],
  ],
  [
    "with negative retries",
    { jobs: named("a"), retries: -1 },
    ["spec.retries: Invalid value: -1: must be greater than or equal to 0"],
  ],
])("a Workflow %s", (_, spec, problems) => {
  expect(problemsOf(spec)).toEqual(problems);
});

test("the name of a Workflow must be a valid label", () => {
  expect(problemsOf({ jobs: named("a") }, { name: "a.b" })).toEqual([
    'metadata.name: Invalid value: "a.b": must not contain dots',
  ]);
});

test.each<[Body, string[]]>([
  [{ suspend: true, retries: 3 }, []],
  [{ retries: 1 }, ["spec.retries: Invalid value: 1: must not be decremented"]],
  [{ jobs: named("b") }, ["spec.jobs: Forbidden: field is immutable"]],
  [
    { dependencies: [{ before: "a", after: "a" }] },
    ["spec.dependencies: Forbidden: field is immutable"],
  ],
])("changing an existing Workflow by %j: %j", (change, problems) => {
  const old = aWorkflow({ jobs: named("a"), retries: 2 });
  const next = patched(workflowKind, old, { spec: change });
  expect(workflowKind.rules.validateUpdate(next, old).map(formatFinding)).toEqual(problems);
});

const scheduledProblems = (spec: Body, metadata: Body = {}) =>
  scheduledJobKind.rules.validate(aScheduledJob(spec, metadata)).map(formatFinding);

test.each<[Body, string[]]>([
  [{}, []],
  [{ runAt: null }, ["spec.runAt: Required value: when the Job is to be made"]],
  [
    { startingDeadlineSeconds: -1 },
    ["spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"],
  ],
])("a ScheduledJob with %j: %j", (spec, problems) => {
  expect(scheduledProblems(spec)).toEqual(problems);
});

test("the name of a ScheduledJob must be valid in pod names", () => {
  const jobTemplate = {
    spec: { completionMode: "Indexed", completions: 100, template: { spec: POD_SPEC } },
  };
  const name = "a".repeat(62);
  expect(scheduledProblems({ jobTemplate }, { name })[0]).toContain("metadata.name: Invalid value");
});

test("a ScheduledJob can be rescheduled until its Job is created", () => {
  const later = { spec: { runAt: "2027-01-01T00:00:00Z", suspend: true } };
  const change = (old: ScheduledJob) =>
    scheduledJobKind.rules
      .validateUpdate(patched(scheduledJobKind, old, later), old)
      .map(formatFinding);
  const old = aScheduledJob();
  expect(change(old)).toEqual([]);
  expect(change({ ...old, status: { job: { name: "j", uid: "u" } } })).toEqual([
    'spec.runAt: Forbidden: may not be changed: job "j" has been made',
  ]);
});

test("a row shows the columns of the manifests for clusters", () => {
  const now = new Date("2026-01-01T00:00:00Z");
  const annotated = { ...template, metadata: { annotations: { "tallyjob.io/work-list": "l" } } };
  const object = created<JobTemplate>(jobTemplateKind, { spec: { template: annotated } });
  expect(jobTemplateKind.cells(object, now)).toEqual(["j", null, null, "l", "<unknown>"]);
  const workflow = aWorkflow({ jobs: named("a") });
  const status = { phase: "Running", total: 1, succeeded: 0, active: 1, failed: 0, skipped: 0 };
  expect(workflowKind.cells({ ...workflow, status } as never, now)).toEqual([
    ...["j", "Running", 1, 0, 1, 0, 0, "<unknown>"],
  ]);
  for (const kind of [jobTemplateKind, scheduledJobKind, workflowKind]) {
    expect(kind.columns).toHaveLength(kind.cells(object, now).length);
  }
});
