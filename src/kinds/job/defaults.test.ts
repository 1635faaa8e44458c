import { expect, test } from "vitest";
import { UID } from "../../../test/builders/created.ts";
import { aJob, INDEXED, POD_SPEC } from "../../../test/builders/job.ts";

test.each([
  ["nothing", {}, { completions: 1, parallelism: 1 }],
  ["completions", { completions: 3 }, { completions: 3, parallelism: 1 }],
  ["zero completions", { completions: 0 }, { completions: 0, parallelism: 1 }],
  ["parallelism: a work queue", { parallelism: 3 }, { parallelism: 3 }],
  ["both", { completions: 4, parallelism: 2 }, { completions: 4, parallelism: 2 }],
])("given %s", (_given, spec, expected) => {
  const { completions, parallelism } = aJob(spec).spec;
  expect({ completions, parallelism }).toEqual({ completions: undefined, ...expected });
});

test("an empty Job spec gets all defaults", () => {
  expect(aJob().spec).toMatchObject({
    backoffLimit: 6,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: "TerminatingOrFailed",
    manualSelector: false,
  });
});

test("a limit per index removes the limit of the Job", () => {
  expect(aJob({ ...INDEXED, backoffLimitPerIndex: 1 }).spec.backoffLimit).toBe(2147483647);
});

test("a podFailurePolicy implies replacing only failed pods, and patterns default to True", () => {
  const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }];
  const { spec } = aJob({ podFailurePolicy: { rules } });
  expect(spec.podReplacementPolicy).toBe("Failed");
  expect(spec.podFailurePolicy?.rules?.[0]?.onPodConditions).toEqual([
    { type: "DisruptionTarget", status: "True" },
  ]);
});

const GENERATED = {
  "batch.kubernetes.io/controller-uid": UID,
  "batch.kubernetes.io/job-name": "j",
  "controller-uid": UID,
  "job-name": "j",
};

test("pods are labelled with name and uid, and selected by uid", () => {
  const { spec } = aJob();
  expect(spec.template.metadata.labels).toEqual(GENERATED);
  expect(spec.selector).toEqual({ matchLabels: { "batch.kubernetes.io/controller-uid": UID } });
});

test("a Job without labels shows those of its pods, generated ones included", () => {
  expect(aJob().metadata.labels).toEqual(GENERATED);
  const job = aJob({ template: { metadata: { labels: { app: "x" } }, spec: POD_SPEC } });
  expect(job.metadata.labels).toEqual({ app: "x", ...GENERATED });
});

test("a Job keeps its own labels, even when its pods have the same", () => {
  const labels = { app: "x" };
  const job = aJob({ template: { metadata: { labels }, spec: POD_SPEC } }, { labels });
  expect(job.metadata.labels).toEqual({ app: "x" });
  expect(job.spec.template.metadata.labels).toEqual({ app: "x", ...GENERATED });
});

test("with a manual selector nothing is generated", () => {
  const selector = { matchLabels: { app: "x" } };
  const template = { metadata: { labels: { app: "x" } }, spec: POD_SPEC };
  const { metadata, spec } = aJob({ manualSelector: true, selector, template });
  expect(spec.selector).toEqual(selector);
  expect(spec.template.metadata.labels).toEqual({ app: "x" });
  expect(metadata.labels).toEqual({ app: "x" });
});

test("generated labels that the user set are kept, so that validation rejects them", () => {
  const template = { metadata: { labels: { "job-name": "other" } }, spec: POD_SPEC };
  expect(aJob({ template }).spec.template.metadata.labels).toMatchObject({ "job-name": "other" });
});
