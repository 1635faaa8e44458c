import { expect, test } from "vitest";
import { allSchemas } from "../schemas.ts";
import { descriptions, typeName } from "./descriptions.ts";

const fieldsOfType = new Map(
  Object.entries(allSchemas()).map(([name, { properties }]) => [
    typeName(name),
    Object.keys(properties ?? {}),
  ]),
);

test("every description belongs to an existing type or field", () => {
  const known = new Set<string>();
  for (const [type, fields] of fieldsOfType) {
    known.add(type);
    for (const field of fields) known.add(`${type}.${field}`);
  }
  expect(Object.keys(descriptions).filter((key) => !known.has(key))).toEqual([]);
});

test.each([
  "batch/v1.JobSpec",
  "batch/v1.JobStatus",
  "batch/v1.JobCondition",
  "batch/v1.PodFailurePolicyRule",
  "batch/v1.PodFailurePolicyOnExitCodesRequirement",
  "batch/v1.SuccessPolicyRule",
  "batch/v1.CronJobSpec",
  "batch/v1.CronJobStatus",
  "core/v1.PodSpec",
  "core/v1.PodStatus",
  "core/v1.Container",
  "core/v1.ContainerStatus",
  "core/v1.EnvVar",
  "core/v1.Probe",
  "core/v1.ResourceRequirements",
  "core/v1.ServiceSpec",
  "apps/v1.StatefulSetSpec",
  "apps/v1.StatefulSetStatus",
  "meta/v1.ObjectMeta",
  "meta/v1.OwnerReference",
  "meta/v1.LabelSelector",
  "coordination/v1.LeaseSpec",
])("%s and all its fields are described", (type) => {
  expect(descriptions[type]).toBeDefined();
  const fields = fieldsOfType.get(type) ?? [];
  expect(fields.length).toBeGreaterThan(0);
  expect(fields.filter((field) => descriptions[`${type}.${field}`] === undefined)).toEqual([]);
});

test("descriptions are complete sentences without extra spaces", () => {
  const untidy = Object.entries(descriptions).filter(
    ([, text]) => !/^[A-Z0-9$]/.test(text) || !text.endsWith(".") || / {2}|^ | $/.test(text),
  );
  expect(untidy).toEqual([]);
});
