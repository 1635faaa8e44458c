import { expect, test } from "vitest";
import { UID } from "../../../test/builders/created.ts";
import { without } from "../../../test/builders/feature-gates.ts";
import { POD_SPEC } from "../../../test/builders/job.ts";
import type { Feature } from "../../api/feature-gates.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Job } from "../../api/generated/batch.ts";
import { type Draft, draftOf, type Json } from "../../api/object.ts";
import { canonicalize } from "../../api/schema/decode.ts";
import { jobKind } from "./kind.ts";

type Body = { [key: string]: Json };

const { setDefaults, prepareForCreate, prepareForUpdate, validateUpdate } = jobKind.rules;

/** The spec that a POST stores if these features are off. */
function created(body: Body, ...off: readonly Feature[]): Draft<Job> {
  const metadata = { name: "j", namespace: "ns" };
  const spec = { template: { spec: POD_SPEC }, ...body };
  const job = canonicalize({ apiVersion: "batch/v1", kind: "Job", metadata, spec }, "batch/v1.Job");
  setDefaults?.(job, without(...off));
  Object.assign(job.metadata, { uid: UID, resourceVersion: "1" });
  prepareForCreate?.(job, without(...off));
  return job as Draft<Job>;
}

/** The spec that a PUT with these changes stores. */
function changed(old: Job, change: Body, ...off: readonly Feature[]): Draft<Job> {
  const next = draftOf(old);
  Object.assign(next.spec, change);
  setDefaults?.(next, without(...off));
  prepareForUpdate?.(next, old, without(...off));
  return next;
}

const INDEXED = { completionMode: "Indexed", completions: 2, parallelism: 2 };
const CONDITION = { type: "DisruptionTarget", status: "True" };
const IGNORE = { action: "Ignore", onPodConditions: [CONDITION] };
const EXIT = { operator: "In", values: [1] };
const FAIL_INDEX = { action: "FailIndex", onExitCodes: EXIT };
const PER_INDEX = { ...INDEXED, backoffLimitPerIndex: 1, maxFailedIndexes: 1 };
const SUCCESS = { ...INDEXED, successPolicy: { rules: [{ succeededCount: 1 }] } };

const FIELDS: readonly [Feature, Body, readonly (keyof Job["spec"])[]][] = [
  ["IndexedJob", INDEXED, ["completionMode"]],
  ["JobBackoffLimitPerIndex", PER_INDEX, ["backoffLimitPerIndex", "maxFailedIndexes"]],
  ["JobPodFailurePolicy", { podFailurePolicy: { rules: [IGNORE] } }, ["podFailurePolicy"]],
  ["JobSuccessPolicy", SUCCESS, ["successPolicy"]],
  ["JobPodReplacementPolicy", { podReplacementPolicy: "Failed" }, ["podReplacementPolicy"]],
  ["JobManagedBy", { managedBy: "example.com/other" }, ["managedBy"]],
];

test.each(FIELDS)("without %s a new Job loses its fields", (feature, body, fields) => {
  const on = created(body).spec;
  const off = created(body, feature).spec;
  for (const field of fields) {
    expect(on[field]).toEqual(body[field]);
    expect(off).not.toHaveProperty(field);
  }
});

test.each(FIELDS)("without %s a Job that had its fields keeps them", (feature, body, fields) => {
  const old = created(body);
  const next = changed(old, { activeDeadlineSeconds: 5 }, feature);
  for (const field of fields) expect(next.spec[field]).toEqual(body[field]);
  expect(validateUpdate(next, old, without(feature))).toEqual([]);
});

test.each(FIELDS)("without %s an update cannot add its fields", (feature, body, fields) => {
  const old = created(body, feature);
  const next = changed(old, body, feature);
  for (const field of fields) expect(next.spec).not.toHaveProperty(field);
  expect(validateUpdate(next, old, without(feature)).map(formatFinding)).toEqual([]);
});

test("fields of disabled features do not affect the defaults", () => {
  expect(created(PER_INDEX).spec.backoffLimit).toBe(2 ** 31 - 1);
  expect(created(PER_INDEX, "JobBackoffLimitPerIndex").spec.backoffLimit).toBe(6);
  expect(created({}).spec.podReplacementPolicy).toBe("TerminatingOrFailed");
  expect(created({}, "JobPodReplacementPolicy").spec).not.toHaveProperty("podReplacementPolicy");
  expect(created({}, "IndexedJob").spec).not.toHaveProperty("completionMode");
});

test("without JobBackoffLimitPerIndex a new Job loses FailIndex rules, an old one does not", () => {
  const body = { ...PER_INDEX, podFailurePolicy: { rules: [FAIL_INDEX, IGNORE] } };
  const off = created(body, "JobBackoffLimitPerIndex");
  expect(off.spec.podFailurePolicy).toEqual({ rules: [IGNORE] });
  expect(jobKind.rules.validate(off)).toEqual([]);
  const old = created(body);
  const next = changed(old, {}, "JobBackoffLimitPerIndex");
  expect(next.spec.podFailurePolicy?.rules).toHaveLength(2);
});

test("a Job created without a mode can still be updated after the gate is on", () => {
  const old = created(INDEXED, "IndexedJob");
  const next = changed(old, { parallelism: 1 });
  expect(next.spec).not.toHaveProperty("completionMode");
  expect(validateUpdate(next, old)).toEqual([]);
  const other = changed(old, { completionMode: "Indexed" });
  expect(validateUpdate(other, old).map(formatFinding)).toContain(
    'spec.completionMode: Invalid value: "Indexed": field is immutable',
  );
});

test("without ElasticIndexedJob completions are immutable", () => {
  const old = created(INDEXED);
  const next = changed(old, { completions: 3, parallelism: 3 });
  expect(validateUpdate(next, old)).toEqual([]);
  expect(validateUpdate(next, old, without("ElasticIndexedJob")).map(formatFinding)).toEqual([
    "spec.completions: Invalid value: 3: field is immutable",
  ]);
});

test("the strict rules of a status apply only with JobManagedBy", () => {
  const old = created({});
  const failed = { type: "Failed", status: "True" };
  const next = { ...old, status: { conditions: [failed] } };
  const { validateStatusUpdate } = jobKind.rules;
  expect(validateStatusUpdate?.(next, old)).not.toEqual([]);
  expect(validateStatusUpdate?.(next, old, without("JobManagedBy"))).toEqual([]);
  const wrong = { ...old, status: { active: -1 } };
  expect(validateStatusUpdate?.(wrong, old, without("JobManagedBy"))).toHaveLength(1);
});
