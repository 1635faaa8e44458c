/**
 * Pure: PriorityClasses: names for the priorities of pods. Names with the prefix "system-" and
 * values above a billion are reserved for Kubernetes.
 */
import { type Finding, forbidden, notSupported, required } from "../../api/finding.ts";
import type { PriorityClass } from "../../api/generated/scheduling.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { defineKind } from "../kind.ts";
import {
  validateImmutable,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";
import { columns } from "./columns.ts";

export const HIGHEST_USER_PRIORITY = 1_000_000_000;
const SYSTEM_PREFIX = "system-";
const PREEMPTION_POLICIES = ["PreemptLowerPriority", "Never"];

/** The classes that every cluster has. */
export const SYSTEM_CLASSES: readonly { name: string; value: number; description: string }[] = [
  {
    name: "system-node-critical",
    value: 2_000_001_000,
    description: "For pods that the system cannot do without on the very node they run on.",
  },
  {
    name: "system-cluster-critical",
    value: 2_000_000_000,
    description: "For pods that the system cannot do without, on whichever node.",
  },
];

export const priorityClassKind = defineKind<PriorityClass>({
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  resource: "priorityclasses",
  singular: "priorityclass",
  namespaced: false,
  shortNames: ["pc"],
  message: "scheduling/v1.PriorityClass",
  rules: { setDefaults, prepareForCreate, validate, validateUpdate },
  columns,
  cells: ({ metadata, value, globalDefault = false, preemptionPolicy = "" }, now) => [
    metadata.name ?? "",
    value,
    globalDefault,
    age(metadata.creationTimestamp, now),
    preemptionPolicy,
  ],
});

function setDefaults(priorityClass: Draft<PriorityClass>): void {
  priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
}

/** The generation of a class never changes, because its relevant fields are immutable. */
function prepareForCreate({ metadata }: Draft<PriorityClass>): void {
  metadata.generation = 1;
}

function validate(priorityClass: PriorityClass): Finding[] {
  const { metadata, value, preemptionPolicy } = priorityClass;
  const rules = { namespaced: false, nameRule: dns1123Subdomain };
  const findings = validateObjectMeta(metadata, rules);
  if (metadata.name?.startsWith(SYSTEM_PREFIX)) {
    findings.push(...validateSystemClass(priorityClass, metadata.name));
  } else if (value > HIGHEST_USER_PRIORITY) {
    const detail = `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`;
    findings.push(forbidden("value", detail));
  }
  if (preemptionPolicy === "") findings.push(required("preemptionPolicy"));
  else if (preemptionPolicy !== undefined && !PREEMPTION_POLICIES.includes(preemptionPolicy)) {
    findings.push(notSupported("preemptionPolicy", preemptionPolicy, PREEMPTION_POLICIES));
  }
  return findings;
}

function validateSystemClass(priorityClass: PriorityClass, name: string): Finding[] {
  const problem = systemClassProblem(priorityClass, name);
  if (problem === undefined) return [];
  const rule = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved`;
  return [forbidden("metadata.name", `${rule} for system use only. error: ${problem}`)];
}

function systemClassProblem(priorityClass: PriorityClass, name: string): string | undefined {
  const known = SYSTEM_CLASSES.find((system) => system.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  const { value, globalDefault = false } = priorityClass;
  if (value !== known.value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validateUpdate(next: PriorityClass, old: PriorityClass): Finding[] {
  const findings = validateObjectMetaUpdate(next.metadata, old.metadata);
  if (next.value !== old.value) {
    findings.push(forbidden("value", "may not be changed in an update."));
  }
  const policy = validateImmutable(next.preemptionPolicy, old.preemptionPolicy, "preemptionPolicy");
  return [...findings, ...policy];
}
