/** Pure: validates a DaemonSet. */
import { type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type {
  DaemonSet,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from "../../api/generated/apps.ts";
import { numberOf, validateAtMostWhole, validateIntOrPercent } from "../meta/int-or-percent.ts";
import { isEmptySelector, validateLabelSelector } from "../meta/label-selector.ts";
import { validateNonnegative } from "../meta/object-meta.ts";
import { validatePodTemplateSpec } from "../pod/validate-template.ts";
import { validateCollisionCount, validateCounts } from "./workload-status.ts";
import { validateDisks, validateLasting, validateMatch } from "./workload-template.ts";

export function validateDaemonSetSpec({ spec }: DaemonSet, old?: DaemonSet): Finding[] {
  const { template, minReadySeconds = 0, revisionHistoryLimit = 0 } = spec;
  return [
    ...validateSelector(spec),
    ...validatePodTemplateSpec(template, "spec.template"),
    ...validateDisks(template, old?.spec.template),
    ...validateLasting(template, "DaemonSet"),
    ...validateNonnegative(minReadySeconds, "spec.minReadySeconds"),
    ...validateStrategy(spec.updateStrategy, "spec.updateStrategy"),
    ...validateNonnegative(revisionHistoryLimit, "spec.revisionHistoryLimit"),
  ];
}

function validateSelector({ template, ...spec }: DaemonSet["spec"]): Finding[] {
  const path = "spec.selector";
  const selector = spec.selector ?? undefined;
  const findings = validateLabelSelector(selector, path);
  if (findings.length === 0) findings.push(...validateMatch(selector, template));
  if (selector === undefined || !isEmptySelector(selector)) return findings;
  return [...findings, invalid(path, selector, "empty selector is invalid for daemonset")];
}

const COUNTERS = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
];

export function validateDaemonSetStatus(next: DaemonSet, old: DaemonSet): Finding[] {
  return [
    ...validateCounts(next.status, COUNTERS),
    ...validateCollisionCount(next.status, old.status),
  ];
}

function validateStrategy({ type = "", rollingUpdate }: DaemonSetUpdateStrategy, path: string) {
  switch (type) {
    case "OnDelete":
      return [];
    case "RollingUpdate":
      if (!rollingUpdate) return [required(`${path}.rollingUpdate`)];
      return validateRollingUpdate(rollingUpdate, `${path}.rollingUpdate`);
    default: {
      const shown = { Type: type, RollingUpdate: rollingUpdateDump(rollingUpdate) };
      return [notSupported(path, shown, ["RollingUpdate", "OnDelete"])];
    }
  }
}

/** The format in which Kubernetes prints its internal type in a message. */
function rollingUpdateDump(rollingUpdate: RollingUpdateDaemonSet | undefined): unknown {
  if (rollingUpdate === undefined) return null;
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  return { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
}

/**
 * A pod is deleted either before or after its successor is created: exactly one of the two fields
 * must be set.
 */
function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet,
  path: string,
): Finding[] {
  const at = { unavailable: `${path}.maxUnavailable`, surge: `${path}.maxSurge` };
  const findings = [
    ...validateIntOrPercent(maxUnavailable, at.unavailable),
    ...validateIntOrPercent(maxSurge, at.surge),
    ...validateAtMostWhole(maxUnavailable, at.unavailable),
    ...validateAtMostWhole(maxSurge, at.surge),
  ];
  const hasUnavailable = numberOf(maxUnavailable) !== 0;
  const hasSurge = numberOf(maxSurge) !== 0;
  if (hasUnavailable && hasSurge) {
    const detail = "may not be set when maxUnavailable is non-zero";
    findings.push(invalid(at.surge, maxSurge, detail));
  } else if (!hasUnavailable && !hasSurge) {
    findings.push(required(at.unavailable, "cannot be 0 when maxSurge is 0"));
  }
  return findings;
}
