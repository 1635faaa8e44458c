/** Pure: runs the checks of a level and version on a pod. */
import { BASELINE_CHECKS } from "./baseline-checks.ts";
import type { Check, CheckedPod, CheckPod, Violation } from "./check.ts";
import type { LevelVersion } from "./policy.ts";
import { PROFILE_CHECKS } from "./profile-checks.ts";
import { RESTRICTED_CHECKS } from "./restricted-checks.ts";

/** The checks of Kubernetes 1.36. */
export const KUBERNETES_CHECKS: readonly Check[] = [
  ...BASELINE_CHECKS,
  ...PROFILE_CHECKS,
  ...RESTRICTED_CHECKS,
];

export type Evaluate = (asked: LevelVersion, pod: CheckedPod) => readonly Violation[];

/** An evaluator caches which checks belong to a level and version. */
export function newEvaluator(checks: readonly Check[]): Evaluate {
  const newest = Math.max(...checks.flatMap(({ versions }) => versions.map(({ since }) => since)));
  const known = new Map<string, readonly CheckPod[]>();
  return ({ level, version }, pod) => {
    if (level === "privileged") return [];
    const minor = Math.min(version.minor, newest);
    const key = `${level}:${minor}`;
    const chosen = known.get(key) ?? chooseChecks(checks, level, minor);
    known.set(key, chosen);
    return chosen.flatMap((check) => check(pod) ?? []);
  };
}

function chooseChecks(
  checks: readonly Check[],
  level: Check["level"],
  minor: number,
): readonly CheckPod[] {
  const ordered = [
    ...checks.filter((check) => check.level === "baseline").sort(byId),
    ...checks.filter((check) => check.level === "restricted" && level === "restricted").sort(byId),
  ];
  const current = ordered.flatMap(({ id, versions }) => {
    const version = versions.findLast(({ since }) => since <= minor);
    return version ? [{ id, ...version }] : [];
  });
  const replaced = new Set(current.map(({ replaces }) => replaces));
  return current.filter(({ id }) => !replaced.has(id)).map(({ check }) => check);
}

function byId(first: Check, second: Check): number {
  return first.id < second.id ? -1 : 1;
}

/** `privileged (container "c" must not set …), hostPort (…)`. */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
}
