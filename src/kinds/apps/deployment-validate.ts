/** Pure: validates a Deployment. */
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import type {
  Deployment,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from "../../api/generated/apps.ts";
import { numberOf, validateAtMostWhole, validateIntOrPercent } from "../meta/int-or-percent.ts";
import { validateNonnegative } from "../meta/object-meta.ts";
import { validateCollisionCount, validateCounts, validateParts } from "./workload-status.ts";
import { validateReplicated } from "./workload-template.ts";

export function validateDeploymentSpec({ spec }: Deployment, old?: Deployment): Finding[] {
  const { replicas = 0, strategy, minReadySeconds = 0, revisionHistoryLimit = 0 } = spec;
  return [
    ...validateNonnegative(replicas, "spec.replicas"),
    ...validateReplicated(spec, old?.spec),
    ...validateStrategy(strategy, "spec.strategy"),
    ...validateNonnegative(minReadySeconds, "spec.minReadySeconds"),
    ...validateNonnegative(revisionHistoryLimit, "spec.revisionHistoryLimit"),
    ...validateProgressDeadline(spec.progressDeadlineSeconds, minReadySeconds),
  ];
}

function validateProgressDeadline(seconds: number | undefined, minReadySeconds: number): Finding[] {
  if (seconds === undefined) return [];
  const path = "spec.progressDeadlineSeconds";
  const findings = validateNonnegative(seconds, path);
  if (seconds > minReadySeconds) return findings;
  return [...findings, invalid(path, seconds, "must be greater than minReadySeconds")];
}

const PARTS = ["updatedReplicas", "readyReplicas", "availableReplicas"];

export function validateDeploymentStatus(next: Deployment, old: Deployment): Finding[] {
  const rest = ["unavailableReplicas", "terminatingReplicas", "collisionCount"];
  const counters = ["observedGeneration", "replicas", ...PARTS, ...rest];
  return [
    ...validateCounts(next.status, counters),
    ...validateParts(next.status, PARTS),
    ...validateCollisionCount(next.status, old.status),
  ];
}

function validateStrategy({ type = "", rollingUpdate }: DeploymentStrategy, path: string) {
  switch (type) {
    case "Recreate": {
      if (rollingUpdate === undefined) return [];
      const detail = "may not be specified when strategy `type` is 'Recreate'";
      return [forbidden(`${path}.rollingUpdate`, detail)];
    }
    case "RollingUpdate":
      if (rollingUpdate) return validateRollingUpdate(rollingUpdate, `${path}.rollingUpdate`);
      return [required(`${path}.rollingUpdate`, "this should be defaulted and never be nil")];
    default: {
      const shown = { Type: type, RollingUpdate: rollingUpdateDump(rollingUpdate) };
      return [notSupported(path, shown, ["Recreate", "RollingUpdate"])];
    }
  }
}

/** The format in which Kubernetes prints its internal type in a message. */
function rollingUpdateDump(rollingUpdate: RollingUpdateDeployment | undefined): unknown {
  if (rollingUpdate === undefined) return null;
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  return { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
}

function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDeployment,
  path: string,
): Finding[] {
  const findings = [
    ...validateIntOrPercent(maxUnavailable, `${path}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${path}.maxSurge`),
  ];
  if (numberOf(maxUnavailable) === 0 && numberOf(maxSurge) === 0) {
    const detail = "may not be 0 when `maxSurge` is 0";
    findings.push(invalid(`${path}.maxUnavailable`, maxUnavailable, detail));
  }
  return [...findings, ...validateAtMostWhole(maxUnavailable, `${path}.maxUnavailable`)];
}
