/**
 * Pure: the rules (x-kubernetes-validations) of a schema: compiled once, evaluated for each object.
 *
 * A rule that uses oldSelf is evaluated only for updates of existing values. A rule that does not
 * use it is skipped for values that did not change.
 */
import { isEqual } from "../../api/equal.ts";
import { duplicate, type Finding, forbidden, invalid, required } from "../../api/finding.ts";
import type { ValidationRule } from "../../api/generated/apiextensions.ts";
import type { Json } from "../../api/object.ts";
import { type Budget, compileExpression, type Expression } from "../cel/expression.ts";
import { BOOL, optionalOf, STRING } from "../cel/types.ts";
import { CelError, Optional, type Value } from "../cel/value.ts";
import { ruleType, ruleValue } from "./rule-types.ts";
import { additionalOf, childPath, fieldSchema, isObject, itemsOf, type Schema } from "./schema.ts";
import { NOWHERE, oldItems } from "./validate-value.ts";

/** The budget that Kubernetes gives all rules of one object together. */
const OBJECT_STEPS = 10_000_000;

export function validateRules(value: Json, schema: Schema, old: Json | undefined): Finding[] {
  if (!hasRules(schema)) return [];
  const findings: Finding[] = [];
  const budget = { left: OBJECT_STEPS };
  const place = { schema, path: "", isRoot: true };
  try {
    look(place, value, old, { budget, findings });
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
  }
  return findings;
}

interface Place {
  readonly schema: Schema;
  readonly path: string;
  readonly isRoot: boolean;
}

interface Looking {
  readonly budget: Budget;
  readonly findings: Finding[];
}

class OutOfSteps extends Error {}

function look(place: Place, value: Json, old: Json | undefined, looking: Looking): void {
  const { schema, path } = place;
  if (!hasRules(schema) || value === null) return;
  const rules = compiledRules(schema, place.isRoot);
  if (rules.length > 0) judge(rules, place, value, old, looking);
  const inner = (field: Schema, name: string | number, item: Json, before: Json | undefined) => {
    look({ schema: field, path: childPath(path, name), isRoot: false }, item, before, looking);
  };
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (!items || !hasRules(items)) return;
    const before = oldItems(schema, old);
    for (const [at, item] of value.entries()) inner(items, at, item, before(item));
  } else if (isObject(value)) {
    const before = isObject(old) ? old : {};
    for (const [name, item] of Object.entries(value)) {
      const field = fieldSchema(schema, name);
      if (field) inner(field, name, item, before[name]);
    }
  }
}

export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly expression?: Expression;
  readonly message?: Expression;
  /** Errors in the rule itself, by field. */
  readonly problems: readonly { readonly field: string; readonly problem: string }[];
}

const compiled = new WeakMap<Schema, readonly CompiledRule[]>();

/** The root of a resource has fields that its schema does not name. */
export function compiledRules(schema: Schema, isRoot: boolean): readonly CompiledRule[] {
  const known = compiled.get(schema);
  if (known) return known;
  const rules = (schema["x-kubernetes-validations"] ?? []).map((rule) =>
    compileRule(rule, schema, isRoot),
  );
  compiled.set(schema, rules);
  return rules;
}

function compileRule(rule: ValidationRule, schema: Schema, isRoot: boolean): CompiledRule {
  const self = ruleType(schema, isRoot || undefined);
  const oldSelf = rule.optionalOldSelf ? optionalOf(self) : self;
  const variables = [
    ["self", self],
    ["oldSelf", oldSelf],
  ] as const;
  const problems: { field: string; problem: string }[] = [];
  const compileField = (field: "rule" | "messageExpression", wanted: typeof BOOL) => {
    const source = rule[field];
    if (source === undefined || source.trim() === "") return undefined;
    const made = compileExpression(source, variables, wanted);
    if ("expression" in made) return made.expression;
    problems.push({ field, problem: made.problem });
    return undefined;
  };
  const expression = compileField("rule", BOOL);
  const message = compileField("messageExpression", STRING);
  return {
    rule,
    problems,
    ...(expression ? { expression } : {}),
    ...(message ? { message } : {}),
  };
}

export function usesOldSelf({ expression }: CompiledRule): boolean {
  return expression?.uses.has("oldSelf") ?? false;
}

function judge(
  rules: readonly CompiledRule[],
  place: Place,
  value: Json,
  old: Json | undefined,
  looking: Looking,
): void {
  const isKept = old !== undefined && isEqual(value, old);
  let self: Value | undefined;
  let before: Value | undefined;
  for (const rule of rules) {
    const isTransition = usesOldSelf(rule);
    const isOptional = rule.rule.optionalOldSelf === true;
    if (isTransition && old === undefined && !isOptional) continue;
    if (!rule.expression || (!isTransition && isKept)) continue;
    self ??= ruleValue(value, place.schema);
    if (isTransition && old !== undefined) before ??= ruleValue(old, place.schema);
    const oldSelf = isOptional ? new Optional(before) : (before ?? null);
    evaluate(rule, rule.expression, place, [self, oldSelf], looking);
  }
}

function evaluate(
  compiledRule: CompiledRule,
  expression: Expression,
  { schema, path }: Place,
  values: readonly Value[],
  { budget, findings }: Looking,
): void {
  const { rule } = compiledRule;
  const type = schema.type ?? "";
  const at = path === "" ? NOWHERE : path;
  const text = rule.rule.trim();
  try {
    if (expression.evaluate(values, budget) === true) return;
    const problem = messageOf(compiledRule, values, budget);
    findings.push(broken(rule.reason, fieldOf(at, rule), type, problem));
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    findings.push(invalid(at, type, failureOf(error.message, text)));
    if (error.message.startsWith("operation cancelled")) throw new OutOfSteps();
  }
}

function broken(reason: string | undefined, at: string, type: string, problem: string): Finding {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(at, problem);
    case "FieldValueRequired":
      return required(at, problem);
    case "FieldValueDuplicate":
      return duplicate(at, type);
    default:
      return invalid(at, type, problem);
  }
}

function fieldOf(path: string, { fieldPath = "" }: ValidationRule): string {
  if (fieldPath === "") return path;
  return path === NOWHERE ? fieldPath.replace(/^\./, "") : `${path}${fieldPath}`;
}

function failureOf(problem: string, rule: string): string {
  if (problem.startsWith("no such overload")) {
    const mismatch =
      "call arguments did not match a supported operator, function or macro signature";
    return `'${problem}': ${mismatch} for rule: ${rule}`;
  }
  if (problem.startsWith("operation cancelled")) {
    const end = "no further validation rules will be run due to call cost exceeds limit";
    return `'${problem}': ${end} for rule: ${rule}`;
  }
  return `${problem} evaluating rule: ${rule}`;
}

const MAX_MESSAGE = 5 * 1024;

/** The message of the rule, or its text if the message expression fails. */
function messageOf(
  { rule, message }: CompiledRule,
  values: readonly Value[],
  budget: Budget,
): string {
  const plain = (rule.message ?? "").trim() || `failed rule: ${rule.rule.trim()}`;
  if (!message) return plain;
  try {
    const made = message.evaluate(values, budget);
    if (typeof made !== "string") return plain;
    const trimmed = made.trim();
    return trimmed === "" || trimmed.includes("\n") || trimmed.length > MAX_MESSAGE
      ? plain
      : trimmed;
  } catch (error) {
    if (error instanceof CelError) return plain;
    throw error;
  }
}

const ruled = new WeakMap<Schema, boolean>();

export function hasRules(schema: Schema): boolean {
  const known = ruled.get(schema);
  if (known !== undefined) return known;
  const found = (schema["x-kubernetes-validations"] ?? []).length > 0 || hasRulesInside(schema);
  ruled.set(schema, found);
  return found;
}

function hasRulesInside(schema: Schema): boolean {
  const { properties } = schema;
  for (const name in properties) {
    const property = properties[name];
    if (property && hasRules(property)) return true;
  }
  const additional = additionalOf(schema);
  const items = itemsOf(schema);
  return (typeof additional === "object" && hasRules(additional)) || (!!items && hasRules(items));
}
