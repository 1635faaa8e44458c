/** Pure: validates podFailurePolicy and podReplacementPolicy. */
import {
  duplicate,
  type Finding,
  invalid,
  notSupported,
  OMITTED,
  quote,
  required,
  tooMany,
} from "../../api/finding.ts";
import type {
  JobSpec,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from "../../api/generated/batch.ts";
import { qualifiedName } from "../../api/names.ts";

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITION_PATTERNS = 20;
const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS = ["In", "NotIn"];
const STATUSES = ["False", "True", "Unknown"];

export function validatePodFailurePolicy(
  policy: PodFailurePolicy,
  spec: JobSpec,
  path: string,
): Finding[] {
  const rules = policy.rules ?? [];
  const { containers, initContainers } = spec.template.spec;
  const names = new Set(
    [...(containers ?? []), ...(initContainers ?? [])].map((container) => container.name),
  );
  return [
    ...atMost(rules, MAX_RULES, `${path}.rules`),
    ...rules.flatMap((rule, at) => validateRule(rule, spec, names, `${path}.rules[${at}]`)),
  ];
}

/**
 * A podFailurePolicy needs the exit codes, so such a Job cannot replace pods that are still
 * running.
 */
export function validatePodReplacementPolicy(spec: JobSpec, path: string): Finding[] {
  const policy = spec.podReplacementPolicy;
  const allowed = spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return policy === undefined || allowed.includes(policy)
    ? []
    : [notSupported(path, policy, allowed)];
}

function validateRule(
  rule: PodFailurePolicyRule,
  spec: JobSpec,
  containerNames: ReadonlySet<string>,
  path: string,
): Finding[] {
  const { onExitCodes, onPodConditions = [] } = rule;
  const findings = validateAction(rule.action, spec, `${path}.action`);
  if (onExitCodes) {
    findings.push(...validateExitCodes(onExitCodes, containerNames, `${path}.onExitCodes`));
  }
  findings.push(...validateConditions(onPodConditions, `${path}.onPodConditions`));
  if (onExitCodes && onPodConditions.length > 0) {
    const detail = "specifying both OnExitCodes and OnPodConditions is not supported";
    findings.push(invalid(path, OMITTED, detail));
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    const detail = "specifying one of OnExitCodes and OnPodConditions is required";
    findings.push(invalid(path, OMITTED, detail));
  }
  return findings;
}

function validateAction(action: string, spec: JobSpec, path: string): Finding[] {
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    return [invalid(path, action, "requires the backoffLimitPerIndex to be set")];
  }
  return oneOf(action, ACTIONS, path);
}

function validateExitCodes(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  containerNames: ReadonlySet<string>,
  path: string,
): Finding[] {
  const findings = oneOf(operator, OPERATORS, `${path}.operator`);
  if (containerName !== undefined && !containerNames.has(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    findings.push(invalid(`${path}.containerName`, containerName, detail));
  }
  const codes = values ?? [];
  if (codes.length === 0) {
    findings.push(invalid(`${path}.values`, values ?? null, "at least one value is required"));
  }
  findings.push(...atMost(codes, MAX_EXIT_CODES, `${path}.values`));
  const seen = new Set<number>();
  for (const [at, code] of codes.entries()) {
    const codePath = `${path}.values[${at}]`;
    if (operator === "In" && code === 0) {
      findings.push(invalid(codePath, code, "must not be 0 for the In operator"));
    }
    if (seen.has(code)) findings.push(duplicate(codePath, code));
    seen.add(code);
  }
  if (codes.some((code, at) => at > 0 && (codes[at - 1] ?? code) > code)) {
    findings.push(invalid(`${path}.values`, codes, "must be ordered"));
  }
  return findings;
}

function validateConditions(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  path: string,
): Finding[] {
  return [
    ...atMost(patterns, MAX_CONDITION_PATTERNS, path),
    ...patterns.flatMap(({ type, status }, at) => [
      ...qualifiedName(type).map((problem) => invalid(`${path}[${at}].type`, type, problem)),
      ...oneOf(status, STATUSES, `${path}[${at}].status`),
    ]),
  ];
}

function oneOf(value: string, allowed: readonly string[], path: string): Finding[] {
  if (value === "") return [required(path, `valid values: [${allowed.map(quote).join(" ")}]`)];
  return allowed.includes(value) ? [] : [notSupported(path, value, allowed)];
}

function atMost(list: readonly unknown[], max: number, path: string): Finding[] {
  return list.length > max ? [tooMany(path, list.length, max)] : [];
}
