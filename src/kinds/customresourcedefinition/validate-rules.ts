/** Pure: whether the rules of a schema can be evaluated, and say what is wrong when they fail. */
import { type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type { ValidationRule } from "../../api/generated/apiextensions.ts";
import {
  type CompiledRule,
  compiledRules,
  hasRules,
  usesOldSelf,
} from "../customresource/rules.ts";
import { additionalOf, itemsOf, type Schema } from "../customresource/schema.ts";

export function validateRules(schema: Schema, path: string): Finding[] {
  return validatePart(schema, { path, isRoot: true });
}

interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** The list within which nothing tells the items apart. */
  readonly uncorrelated?: string;
}

function validatePart(schema: Schema, place: Place): Finding[] {
  if (!hasRules(schema)) return [];
  const { path, isRoot, uncorrelated } = place;
  const own = compiledRules(schema, isRoot).flatMap((compiled, at) =>
    validateRule(compiled, `${path}.x-kubernetes-validations[${at}]`, uncorrelated),
  );
  const inner = (part: Schema, at: string, within = uncorrelated) =>
    validatePart(part, {
      path: `${path}.${at}`,
      isRoot: false,
      ...(within === undefined ? {} : { uncorrelated: within }),
    });
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  const isMap = schema["x-kubernetes-list-type"] === "map";
  return [
    ...own,
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      inner(property, `properties[${name}]`),
    ),
    ...(items ? inner(items, "items", isMap ? uncorrelated : (uncorrelated ?? path)) : []),
    ...(typeof additional === "object" ? inner(additional, "additionalProperties") : []),
  ];
}

const REASONS = [
  "FieldValueInvalid",
  "FieldValueForbidden",
  "FieldValueRequired",
  "FieldValueDuplicate",
];
const MAX_MESSAGE = 2048;

function validateRule(
  compiled: CompiledRule,
  path: string,
  uncorrelated: string | undefined,
): Finding[] {
  const { rule, problems } = compiled;
  const findings: Finding[] = [];
  if (rule.rule.trim() === "") findings.push(required(`${path}.rule`, "rule is not specified"));
  findings.push(...validateMessage(rule, path));
  if (rule.reason !== undefined && !REASONS.includes(rule.reason)) {
    findings.push(notSupported(`${path}.reason`, rule.reason, REASONS));
  }
  if (
    rule.fieldPath !== undefined &&
    !/^(\.[^.[\]\s]+|\[['"][^\]]+['"]\])+$/.test(rule.fieldPath)
  ) {
    const problem = "fieldPath must be a valid path: must start with '.' or '['";
    findings.push(invalid(`${path}.fieldPath`, rule.fieldPath, problem));
  }
  for (const { field, problem } of problems) {
    const shown = field === "rule" ? rule : (rule.messageExpression ?? "");
    findings.push(invalid(`${path}.${field}`, shown, problem));
  }
  if (uncorrelated !== undefined && usesOldSelf(compiled)) {
    const problem = "oldSelf cannot be used on the uncorrelatable portion of the schema within";
    findings.push(invalid(`${path}.rule`, rule, `${problem} ${uncorrelated}`));
  }
  return findings;
}

function validateMessage(rule: ValidationRule, path: string): Finding[] {
  const { message, messageExpression } = rule;
  const trimmed = message?.trim() ?? "";
  const at = `${path}.message`;
  if (message !== undefined && message !== "" && trimmed === "") {
    return [invalid(at, message, "message must be non-empty if specified")];
  }
  if (trimmed.includes("\n")) {
    return [invalid(at, message, "message must not contain line breaks")];
  }
  if (trimmed.length > MAX_MESSAGE) {
    return [
      invalid(at, `${trimmed.slice(0, 10)}...`, `message must be less than ${MAX_MESSAGE} chars`),
    ];
  }
  if (rule.rule.trim().includes("\n") && trimmed === "") {
    return [required(at, "message must be specified if rule contains line breaks")];
  }
  if (
    messageExpression !== undefined &&
    messageExpression !== "" &&
    messageExpression.trim() === ""
  ) {
    const problem = "must be non-empty if specified";
    return [required(`${path}.messageExpression`, problem)];
  }
  return [];
}
