/** Pure: validates a successPolicy. */
import { type Finding, invalid, required, tooLong, tooMany } from "../../api/finding.ts";
import type { SuccessPolicy, SuccessPolicyRule } from "../../api/generated/batch.ts";
import { byteLength } from "../meta/labels.ts";
import { validateNonnegative } from "../meta/object-meta.ts";
import { parseIndexes } from "./index-format.ts";

const MAX_RULES = 20;
const MAX_INDEXES_BYTES = 64 * 1024;

/** Missing completions are reported elsewhere; without them the rules cannot be checked. */
export function validateSuccessPolicy(
  policy: SuccessPolicy,
  completions: number | undefined,
  path: string,
): Finding[] {
  const rules = policy.rules ?? [];
  const findings: Finding[] = [];
  if (rules.length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    findings.push(required(`${path}.rules`, detail));
  }
  if (rules.length > MAX_RULES) findings.push(tooMany(`${path}.rules`, rules.length, MAX_RULES));
  if (completions === undefined) return findings;
  return [
    ...findings,
    ...rules.flatMap((rule, at) => validateRule(rule, completions, `${path}.rules[${at}]`)),
  ];
}

function validateRule(rule: SuccessPolicyRule, completions: number, path: string): Finding[] {
  const { succeededIndexes, succeededCount } = rule;
  if (succeededIndexes === undefined && succeededCount === undefined) {
    const detail = "at least one of succeededCount or succeededIndexes must be specified";
    return [required(path, detail)];
  }
  return [
    ...validateSucceededIndexes(succeededIndexes, completions, `${path}.succeededIndexes`),
    ...validateSucceededCount(rule, completions, `${path}.succeededCount`),
  ];
}

function validateSucceededIndexes(
  indexes: string | undefined,
  completions: number,
  path: string,
): Finding[] {
  if (indexes === undefined) return [];
  const findings: Finding[] = [];
  if (byteLength(indexes) > MAX_INDEXES_BYTES) findings.push(tooLong(path, MAX_INDEXES_BYTES));
  const parsed = parseIndexes(indexes, completions);
  if ("problem" in parsed) {
    const detail = `error parsing succeededIndexes: ${parsed.problem}`;
    findings.push(invalid(path, indexes, detail));
  }
  return findings;
}

function validateSucceededCount(
  { succeededCount: count, succeededIndexes: indexes }: SuccessPolicyRule,
  completions: number,
  path: string,
): Finding[] {
  if (count === undefined) return [];
  const findings = validateNonnegative(count, path);
  if (count > completions) {
    const whole = "the number of specified completions";
    findings.push(invalid(path, count, atMost(completions, whole)));
  }
  if (indexes === undefined) return findings;
  const parsed = parseIndexes(indexes, completions);
  const named = "count" in parsed ? parsed.count : 0;
  if (count > named) {
    const whole = "the number of indexes in the specified succeededIndexes field";
    findings.push(invalid(path, count, atMost(named, whole)));
  }
  return findings;
}

function atMost(max: number, meaning: string): string {
  return `must be less than or equal to ${max} (${meaning})`;
}
