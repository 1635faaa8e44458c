/** Pure: validates and evaluates label selectors. */
import { type Finding, forbidden, invalid, required } from "../../api/finding.ts";
import type { LabelSelector, LabelSelectorRequirement } from "../../api/generated/meta.ts";
import { labelValue } from "../../api/names.ts";
import { type StringMap, validateLabelName, validateLabels } from "./labels.ts";

export interface SelectorOptions {
  /** Objects stored before values were validated may keep invalid ones. */
  readonly allowInvalidValues?: boolean;
}

export function validateLabelSelector(
  selector: LabelSelector | undefined,
  path: string,
  options: SelectorOptions = {},
): Finding[] {
  if (selector === undefined) return [];
  return [
    ...validateLabels(selector.matchLabels, `${path}.matchLabels`),
    ...(selector.matchExpressions ?? []).flatMap((expression, at) =>
      validateRequirement(expression, `${path}.matchExpressions[${at}]`, options),
    ),
  ];
}

/** An absent selector selects nothing, an empty one everything. */
export function matchesLabelSelector(
  selector: LabelSelector | undefined,
  labels: StringMap | undefined,
): boolean {
  if (selector === undefined) return false;
  const has = labels ?? {};
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => has[key] === value) &&
    (selector.matchExpressions ?? []).every((expression) => meets(expression, has))
  );
}

export function isEmptySelector(selector: LabelSelector): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

function validateRequirement(
  { key, operator, values = [] }: LabelSelectorRequirement,
  path: string,
  options: SelectorOptions,
): Finding[] {
  const findings = [
    ...validateOperator(operator, values.length, path),
    ...validateLabelName(key, `${path}.key`),
  ];
  if (options.allowInvalidValues) return findings;
  const ofValues = values.flatMap((value, at) =>
    labelValue(value).map((problem) => invalid(`${path}.values[${at}]`, value, problem)),
  );
  return [...findings, ...ofValues];
}

function validateOperator(operator: string, values: number, path: string): Finding[] {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values > 0) return [];
      return [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist": {
      if (values === 0) return [];
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return [forbidden(`${path}.values`, detail)];
    }
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

function meets(
  { key, operator, values = [] }: LabelSelectorRequirement,
  labels: StringMap,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
