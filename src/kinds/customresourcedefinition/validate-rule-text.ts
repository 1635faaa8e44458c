/** Pure: validates the texts of rules before they are compiled. */
import { type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type { ValidationRule } from "../../api/generated/apiextensions.ts";
import type { Schema } from "../customresource/schema.ts";
import { findField } from "./field-path.ts";

export function validateRuleTexts(schema: Schema, path: string): Finding[] {
  return (schema["x-kubernetes-validations"] ?? []).flatMap((rule, at) => {
    const place = `${path}.x-kubernetes-validations[${at}]`;
    return [
      ...validateMessage(rule, place),
      ...(rule.reason !== undefined && !REASONS.includes(rule.reason)
        ? [notSupported(`${place}.reason`, rule.reason, REASONS)]
        : []),
      ...validateFieldPath(rule.fieldPath ?? "", schema, `${place}.fieldPath`),
    ];
  });
}

const REASONS = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
];
const EMPTY = "must be non-empty if specified";
const BROKEN = "must not contain line breaks";

function validateMessage(rule: ValidationRule, path: string): Finding[] {
  const { message = "", messageExpression = "" } = rule;
  const text = rule.rule.trim();
  const at = `${path}.message`;
  if (text === "") return [required(`${path}.rule`, "rule is not specified")];
  if (message !== "" && message.trim() === "") return [invalid(at, message, EMPTY)];
  if (isBroken(message.trim())) return [invalid(at, message, BROKEN)];
  if (isBroken(text) && message.trim() === "") {
    return [required(at, "message must be specified if rule contains line breaks")];
  }
  if (messageExpression === "" || messageExpression.trim() !== "") return [];
  return [required(`${path}.messageExpression`, `messageExpression ${EMPTY}`)];
}

function isBroken(text: string): boolean {
  return /[\r\n]/.test(text);
}

function validateFieldPath(fieldPath: string, schema: Schema, path: string): Finding[] {
  if (fieldPath === "") return [];
  const isKnown = !("problem" in findField(fieldPath, schema, { hasBrackets: true }));
  return [
    ...(fieldPath.trim() === "" ? [invalid(path, fieldPath, EMPTY)] : []),
    ...(isBroken(fieldPath) ? [invalid(path, fieldPath, BROKEN)] : []),
    ...(isKnown ? [] : [invalid(path, fieldPath, "must be a valid path")]),
  ];
}
