/** Pure: decides about pods, templates, and the labels of a namespace. */
import { type Finding, formatFinding, quote } from "../../api/finding.ts";
import type { CheckedContainer, CheckedPod } from "./check.ts";
import { describeViolations, type Evaluate } from "./evaluate.ts";
import {
  formatLevelVersion,
  isFullyPrivileged,
  type Labels,
  type LevelVersion,
  type Policy,
  PREFIX,
  type ReadPolicy,
} from "./policy.ts";

export interface Decision {
  /** Why the request is rejected. */
  readonly refusal?: string;
  readonly warnings: readonly string[];
  /** For the audit event, by the part of the key after "pod-security.kubernetes.io/". */
  readonly annotations: { readonly [key: string]: string };
}

export const NOTHING_TO_SAY: Decision = { warnings: [], annotations: {} };

/** Templates are not enforced: their pods are, when they are created. */
export function decidePod(
  evaluate: Evaluate,
  { policy, findings }: ReadPolicy,
  { pod, isEnforced }: { readonly pod: CheckedPod; readonly isEnforced: boolean },
): Decision {
  const { enforce, audit, warn } = policy;
  const judge = (asked: LevelVersion): string | undefined => {
    const violations = evaluate(asked, pod);
    if (violations.length === 0) return undefined;
    return `PodSecurity ${quote(formatLevelVersion(asked))}: ${describeViolations(violations)}`;
  };
  const refused = isEnforced ? judge(enforce) : undefined;
  const audited = judge(audit);
  const warned = refused === undefined ? judge(warn) : undefined;
  return {
    ...(refused === undefined ? {} : { refusal: `violates ${refused}` }),
    warnings: warned === undefined ? [] : [`would violate ${warned}`],
    annotations: {
      ...(findings.length > 0 ? { error: `Failed to parse policy: ${aggregate(findings)}` } : {}),
      ...(isEnforced ? { "enforce-policy": formatLevelVersion(enforce) } : {}),
      ...(audited === undefined ? {} : { "audit-violations": `would violate ${audited}` }),
    },
  };
}

/** Go's aggregate of errors: duplicates removed, in brackets if there are several. */
function aggregate(findings: readonly Finding[]): string {
  const texts = [...new Set(findings.map(formatFinding))];
  return texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
}

/** An update of a pod is checked again only if its containers or images change. */
export function isSignificantUpdate(pod: CheckedPod, old: CheckedPod): boolean {
  const lists = ["containers", "initContainers"] as const;
  const differs = lists.some((list) => {
    const now = pod.spec[list] ?? [];
    const before = old.spec[list] ?? [];
    if (now.length !== before.length) return true;
    return now.some(({ image }, index) => image !== before[index]?.image);
  });
  if (differs) return true;
  const before = new Map<string, CheckedContainer>(
    (old.spec.ephemeralContainers ?? []).map((container) => [container.name, container]),
  );
  return (pod.spec.ephemeralContainers ?? []).some(({ name, image }) => {
    const known = before.get(name);
    return known === undefined || known.image !== image;
  });
}

export interface ExistingPod extends CheckedPod {
  readonly metadata: CheckedPod["metadata"] & {
    readonly name?: string;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
}

/** How many pods of a namespace Kubernetes checks when the enforced level changes. */
const MAX_CHECKED_PODS = 3000;

/** Warns about pods that the new level would reject. They continue to run. */
export function warnOfExistingPods(
  evaluate: Evaluate,
  enforce: LevelVersion,
  { namespace, pods }: { readonly namespace: string; readonly pods: readonly ExistingPod[] },
): readonly string[] {
  const checked = oneOfEachOwnerFirst(pods).slice(0, MAX_CHECKED_PODS);
  const namesByReasons = new Map<string, string[]>();
  for (const pod of checked) {
    const violations = evaluate(enforce, pod);
    if (violations.length === 0) continue;
    const reasons = violations.map(({ reason }) => reason).join(", ");
    const names = namesByReasons.get(reasons) ?? [];
    names.push(pod.metadata.name ?? "");
    namesByReasons.set(reasons, names);
  }
  const isPartial = checked.length < pods.length;
  const some = `only checked against the first ${checked.length} of ${pods.length} existing pods`;
  const level = quote(formatLevelVersion(enforce));
  const head = `existing pods in namespace ${quote(namespace)} violate the new`;
  return [
    ...(isPartial ? [`new PodSecurity enforce level ${some}`] : []),
    ...(namesByReasons.size > 0 ? [`${head} PodSecurity enforce level ${level}`] : []),
    ...[...namesByReasons].map(([reasons, names]) => `${namePods(names)}: ${reasons}`).sort(),
  ];
}

/** Tells an administrator who labels an exempt namespace that the labels have no effect. */
export function warnOfExemption(
  namespace: string,
  policy: Policy,
  around: { readonly defaults: Policy; readonly labels: Labels | undefined },
): readonly string[] {
  const { defaults, labels = {} } = around;
  if (isFullyPrivileged(policy)) return [];
  const modes = ["enforce", "audit", "warn"] as const;
  if (modes.every((mode) => isEquivalent(policy[mode], defaults[mode]))) return [];
  const set = modes.filter((mode) => {
    const isLabelled = [mode, `${mode}-version`].some((name) =>
      Object.hasOwn(labels, `${PREFIX}${name}`),
    );
    return isLabelled && policy[mode].level !== "privileged";
  });
  const text = set.map((mode) => `${mode}=${formatLevelVersion(policy[mode])}`).join(", ");
  const problem = `is exempt from Pod Security, and the policy (${text}) will be ignored`;
  return [`namespace ${quote(namespace)} ${problem}`];
}

function isEquivalent(first: LevelVersion, second: LevelVersion): boolean {
  if (first.level !== second.level) return false;
  return first.level === "privileged" || first.version.text === second.version.text;
}

/** Pods of one owner are similar, so one of each is checked first. */
function oneOfEachOwnerFirst(pods: readonly ExistingPod[]): readonly ExistingPod[] {
  const seen = new Set<string>();
  const first: ExistingPod[] = [];
  const others: ExistingPod[] = [];
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
    (owner !== undefined && seen.has(owner.uid) ? others : first).push(pod);
    if (owner !== undefined) seen.add(owner.uid);
  }
  return [...first, ...others];
}

function namePods(names: readonly string[]): string {
  const [first = "", ...others] = [...names].sort();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? "pod" : "pods"})`;
}
