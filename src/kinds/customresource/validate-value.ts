/**
 * Pure: checks a value against its schema, with the messages of Kubernetes' validator.
 *
 * An update is only checked for what it changes: values that are the same as in the old object are
 * accepted.
 */
import { isEqual } from "../../api/equal.ts";
import {
  type Finding,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "../../api/finding.ts";
import type { Json } from "../../api/object.ts";
import { canonicalText } from "./canonical-text.ts";
import { isOfFormat } from "./formats.ts";
import { itemKey } from "./list-types.ts";
import { matchesPattern } from "./patterns.ts";
import {
  additionalOf,
  childPath,
  isIntOrString,
  isObject,
  itemsOf,
  type JsonObject,
  propertyOf,
  type Schema,
} from "./schema.ts";

/** The field path of errors that concern an object as a whole. */
export const NOWHERE = "<nil>";

export function validateValue(
  value: Json,
  schema: Schema,
  path: string,
  old?: Json,
): readonly Finding[] {
  return check(value, schema, path, old).findings;
}

interface Result {
  readonly findings: readonly Finding[];
  /**
   * How many requirements were met. Of several failed alternatives, the one with the most matches
   * is reported.
   */
  readonly matches: number;
}

const FINE: Result = { findings: [], matches: 1 };

function check(value: Json, schema: Schema, path: string, old: Json | undefined): Result {
  if (old !== undefined && isEqual(value, old)) return FINE;
  const type = typeMistake(value, schema, path);
  return merged([
    type ? { findings: [type], matches: 0 } : FINE,
    ...combinations(value, schema, path, old),
    ...content(value, schema, path, old),
    enumeration(value, schema, path),
  ]);
}

function merged(results: readonly Result[]): Result {
  return {
    findings: results.flatMap(({ findings }) => findings),
    matches: results.reduce((sum, { matches }) => sum + matches, 0),
  };
}

function told(...findings: readonly Finding[]): Result {
  return findings.length === 0 ? FINE : { findings, matches: 0 };
}

function typeMistake(value: Json, schema: Schema, path: string): Finding | undefined {
  if (value === null && schema.nullable) return undefined;
  const actual = typeOf(value);
  if (isIntOrString(schema) && schema.type === undefined) {
    if (actual === "integer" || actual === "string") return undefined;
    return ofType(path, "integer,string", actual);
  }
  const { type } = schema;
  if (type === undefined || type === "") return undefined;
  if (actual === type || (type === "number" && actual === "integer")) return undefined;
  return ofType(path, type, actual);
}

export function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function ofType(path: string, wanted: string, given: string): Finding {
  const problem = `${path} in body must be of type ${wanted}: ${JSON.stringify(given)}`;
  return typeInvalid(path === "" ? NOWHERE : path, given, problem);
}

function combinations(
  value: Json,
  schema: Schema,
  path: string,
  old: Json | undefined,
): readonly Result[] {
  const results: Result[] = [];
  const resultsOf = (schemas: readonly Schema[]) =>
    schemas.map((each) => check(value, each, path, old));
  const problem = (text: string) =>
    told(invalid(NOWHERE, "", `${JSON.stringify(path)} must ${text}`));
  if (schema.allOf && schema.allOf.length > 0) {
    const all = resultsOf(schema.allOf);
    const good = all.filter(({ findings }) => findings.length === 0).length;
    results.push(...all);
    if (good < all.length) {
      results.push(
        problem(`validate all the schemas (allOf)${good === 0 ? ". None validated" : ""}`),
      );
    }
  }
  if (schema.anyOf && schema.anyOf.length > 0) {
    const any = resultsOf(schema.anyOf);
    const isFine = any.some(({ findings }) => findings.length === 0);
    if (!isFine) results.push(problem("validate at least one schema (anyOf)"), ...best(any));
  }
  if (schema.oneOf && schema.oneOf.length > 0) {
    const one = resultsOf(schema.oneOf);
    const good = one.filter(({ findings }) => findings.length === 0).length;
    const found = good === 0 ? "Found none valid" : `Found ${good} valid alternatives`;
    if (good !== 1) results.push(problem(`validate one and only one schema (oneOf). ${found}`));
    if (good === 0) results.push(...best(one));
  }
  if (schema.not && check(value, schema.not, path, undefined).findings.length === 0) {
    results.push(problem("not validate the schema (not)"));
  }
  return results;
}

function best(failures: readonly Result[]): readonly Result[] {
  let found: Result | undefined;
  for (const each of failures) if (!found || each.matches > found.matches) found = each;
  return found ? [found] : [];
}

function content(
  value: Json,
  schema: Schema,
  path: string,
  old: Json | undefined,
): readonly Result[] {
  if (typeof value === "string") return [ofString(value, schema, path)];
  if (typeof value === "number") return [ofNumber(value, schema, path)];
  if (Array.isArray(value)) return ofList(value, schema, path, old);
  return isObject(value) ? ofObject(value, schema, path, old) : [];
}

function ofString(text: string, schema: Schema, path: string): Result {
  const { maxLength, minLength, pattern, format } = schema;
  const findings: Finding[] = [];
  const say = (problem: string) => findings.push(invalid(path, text, `${path} in body ${problem}`));
  const isCounted = maxLength !== undefined || minLength !== undefined;
  const length = isCounted ? [...text].length : 0;
  if (maxLength !== undefined && length > maxLength) findings.push(tooLong(path, maxLength));
  if (minLength !== undefined && length < minLength) {
    say(`should be at least ${minLength} chars long`);
  }
  if (pattern !== undefined && pattern !== "" && !matchesPattern(pattern, text)) {
    say(`should match '${pattern}'`);
  }
  if (format !== undefined && format !== "" && !isOfFormat(format, text)) {
    say(`must be of type ${format}: ${JSON.stringify(text)}`);
  }
  return told(...findings);
}

function ofNumber(number: number, schema: Schema, path: string): Result {
  const { maximum, minimum, exclusiveMaximum, exclusiveMinimum, multipleOf, format } = schema;
  const findings: Finding[] = [];
  const say = (problem: string) =>
    findings.push(invalid(path, number, `${path} in body ${problem}`));
  if (maximum !== undefined && (exclusiveMaximum ? number >= maximum : number > maximum)) {
    say(`should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`);
  }
  if (minimum !== undefined && (exclusiveMinimum ? number <= minimum : number < minimum)) {
    say(`should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`);
  }
  if (multipleOf !== undefined && !Number.isInteger(number / multipleOf)) {
    say(`should be a multiple of ${multipleOf}`);
  }
  if (schema.type === "integer" && format === "int32" && number !== (number | 0)) {
    say("must be of type int32: int64");
  }
  return told(...findings);
}

function ofList(
  list: readonly Json[],
  schema: Schema,
  path: string,
  old: Json | undefined,
): readonly Result[] {
  const { maxItems, minItems, uniqueItems } = schema;
  const findings: Finding[] = [];
  if (minItems !== undefined && list.length < minItems) {
    const problem = `${path} in body should have at least ${minItems} items`;
    findings.push(invalid(path, list.length, problem));
  }
  if (maxItems !== undefined && list.length > maxItems) {
    findings.push(tooMany(path, list.length, maxItems));
  }
  if (uniqueItems && new Set(list.map(canonicalText)).size < list.length) {
    findings.push(invalid(path, list, `${path} in body shouldn't contain duplicates`));
  }
  const items = itemsOf(schema);
  const before = items ? oldItems(schema, old) : () => undefined;
  const inner = items
    ? list.map((item, at) => check(item, items, childPath(path, at), before(item)))
    : [];
  return [...inner, told(...findings)];
}

/** Items correspond to old items only if a key identifies them. */
export function oldItems(schema: Schema, old: Json | undefined): (item: Json) => Json | undefined {
  if (!Array.isArray(old) || schema["x-kubernetes-list-type"] !== "map") return () => undefined;
  const byKey = new Map(old.map((item) => [canonicalText(itemKey(item, schema) ?? null), item]));
  return (item) => byKey.get(canonicalText(itemKey(item, schema) ?? null));
}

function ofObject(
  object: JsonObject,
  schema: Schema,
  path: string,
  old: Json | undefined,
): readonly Result[] {
  const { minProperties, maxProperties } = schema;
  const names = Object.keys(object);
  const count = names.length;
  if (minProperties !== undefined && count < minProperties) {
    const problem = `${path} in body should have at least ${minProperties} properties`;
    return [told(invalid(path, count, problem))];
  }
  if (maxProperties !== undefined && count > maxProperties) {
    return [told(tooMany(path, count, maxProperties))];
  }
  const before = isObject(old) ? old : {};
  const additional = additionalOf(schema);
  const fields = names.map((name) => {
    const value = object[name] ?? null;
    const field = propertyOf(schema, name);
    const described = field ?? (typeof additional === "object" ? additional : undefined);
    const at = childPath(path, name);
    if (described) return check(value, described, at, before[name]);
    if (additional !== false) return FINE;
    return told(invalid(at, "", `${at} in body is a forbidden property`));
  });
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(object, name));
  return [...fields, told(...missing.map((name) => required(childPath(path, name))))];
}

function enumeration(value: Json, schema: Schema, path: string): Result {
  const allowed = schema.enum as readonly Json[] | undefined;
  if (allowed === undefined || allowed.length === 0) return FINE;
  if (value === null && schema.nullable) return FINE;
  if (allowed.some((each) => canonicalText(each) === canonicalText(value))) return FINE;
  const texts = allowed.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  return told(notSupported(path, value, texts));
}
