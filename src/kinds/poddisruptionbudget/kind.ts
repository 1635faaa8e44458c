/**
 * Pure: PodDisruptionBudgets: how many pods of a set may be disrupted voluntarily. eviction.ts
 * decides about single evictions, based on the status that a controller maintains.
 */
import { type Finding, invalid, notSupported } from "../../api/finding.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "../../api/generated/policy.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { validateConditions } from "../meta/conditions.ts";
import { validateAtMostWhole, validateIntOrPercent } from "../meta/int-or-percent.ts";
import { validateLabelSelector } from "../meta/label-selector.ts";
import { validateNonnegative } from "../meta/object-meta.ts";

const POLICIES = ["AlwaysAllow", "IfHealthyBudget"];
const COUNTS = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const;

export const podDisruptionBudgetKind = defineKind<PodDisruptionBudget>({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  resource: "poddisruptionbudgets",
  singular: "poddisruptionbudget",
  namespaced: true,
  shortNames: ["pdb"],
  message: "policy/v1.PodDisruptionBudget",
  hasGeneration: true,
  requiresResourceVersion: true,
  subresources: [{ name: "status", verbs: ["get", "patch", "update"] }],
  rules: {
    prepareForCreate,
    validate: ({ spec }) => validateSpec(spec),
    validateUpdate: ({ spec }) => validateSpec(spec),
    validateStatusUpdate: ({ status }) => [
      ...validateConditions(status.conditions, "status.conditions"),
      ...COUNTS.flatMap((field) => validateNonnegative(status[field], `status.${field}`)),
    ],
  },
  columns: [
    nameColumn,
    column("Min Available", "The minimum number of pods that must be available."),
    column("Max Unavailable", "The maximum number of pods that may be unavailable."),
    column("Allowed Disruptions", "Calculated number of pods that may be disrupted at this time.", {
      type: "integer",
    }),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? "",
    String(spec.minAvailable ?? "N/A"),
    String(spec.maxUnavailable ?? "N/A"),
    status.disruptionsAllowed,
    age(metadata.creationTimestamp, now),
  ],
});

function prepareForCreate(budget: Draft<PodDisruptionBudget>): void {
  budget.status = {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  };
}

function validateSpec(spec: PodDisruptionBudgetSpec): Finding[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const findings: Finding[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const detail = "minAvailable and maxUnavailable cannot be both set";
    findings.push(invalid("spec", specDump(spec), detail));
  }
  findings.push(...validateAmount(minAvailable, "spec.minAvailable"));
  findings.push(...validateAmount(maxUnavailable, "spec.maxUnavailable"));
  findings.push(...validateLabelSelector(selector, "spec.selector"));
  if (policy !== undefined && !POLICIES.includes(policy)) {
    findings.push(notSupported("spec.unhealthyPodEvictionPolicy", policy, POLICIES));
  }
  return findings;
}

/** The spec in the format in which Kubernetes prints its internal type. */
function specDump(spec: PodDisruptionBudgetSpec): object {
  return {
    MinAvailable: spec.minAvailable ?? null,
    Selector: spec.selector ?? null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
}

function validateAmount(amount: number | string | undefined, path: string): Finding[] {
  if (amount === undefined) return [];
  return [...validateIntOrPercent(amount, path), ...validateAtMostWhole(amount, path)];
}
