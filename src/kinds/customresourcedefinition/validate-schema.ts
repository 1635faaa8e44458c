/** Pure: what a schema may say at all, and whether its parts fit each other. */
import { type Finding, forbidden, invalid, notSupported } from "../../api/finding.ts";
import type { Json } from "../../api/object.ts";
import { withDefaults } from "../customresource/defaults.ts";
import { patternProblem } from "../customresource/patterns.ts";
import { prune } from "../customresource/prune.ts";
import { additionalOf, isEmbedded, itemsOf, type Schema } from "../customresource/schema.ts";
import { validateValue } from "../customresource/validate-value.ts";
import { validateExtensions } from "./validate-extensions.ts";
import { validateRules } from "./validate-rules.ts";
import { validateStructural } from "./validate-structural.ts";

export interface SchemaContext {
  readonly hasStatus: boolean;
  readonly isStructural: boolean;
  /** As it was before an update: what was let in then may stay. */
  readonly old: Schema | undefined;
}

export function validateSchema(schema: Schema, path: string, context: SchemaContext): Finding[] {
  const findings = [
    ...(context.hasStatus ? validateRoot(schema, path) : []),
    ...(schema.nullable
      ? [forbidden(`${path}.nullable`, "nullable cannot be true at the root")]
      : []),
    ...validateKeywords(schema, path, { isRoot: true }),
  ];
  if (!context.isStructural) return findings;
  const structural = validateStructural(schema, path);
  if (structural.length > 0) return [...findings, ...structural];
  if (findings.length > 0) return findings;
  return [...validateDefaults(schema, path), ...validateRules(schema, path)];
}

const ROOT_KEYWORDS: ReadonlySet<string> = new Set([
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
]);
const ROOT_FIELDS =
  "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength " +
  "MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties " +
  "ExternalDocs Example XPreserveUnknownFields XValidations]";
const AT_ROOT = "at the root of the schema if the status subresource is enabled";

/** The status is validated by itself, so that the root may not say anything of it. */
function validateRoot(schema: Schema, path: string): Finding[] {
  if (schema.type !== undefined && schema.type !== "object") {
    const problem = `only "object" is allowed as the type ${AT_ROOT}`;
    return [invalid(`${path}.type`, schema.type, problem)];
  }
  if (Object.keys(schema).every((keyword) => ROOT_KEYWORDS.has(keyword))) return [];
  return [invalid(path, schema, `only ${ROOT_FIELDS} fields are allowed ${AT_ROOT}`)];
}

interface Place {
  readonly isRoot: boolean;
  /** Why there may be no default here. */
  readonly noDefault?: string;
}

const UNSUPPORTED = [
  "id",
  "additionalItems",
  "patternProperties",
  "definitions",
  "dependencies",
  "$ref",
] as const;
const QUADRATIC =
  "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
const TYPES = ["array", "boolean", "integer", "number", "object", "string"];
const RESOURCE_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function validateKeywords(schema: Schema, path: string, place: Place): Finding[] {
  const findings: Finding[] = [];
  if (schema.default !== undefined && place.noDefault !== undefined) {
    findings.push(forbidden(`${path}.default`, `must not be set ${place.noDefault}`));
  }
  for (const keyword of UNSUPPORTED) {
    if (schema[keyword] === undefined) continue;
    findings.push(forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
  }
  if (schema.uniqueItems) findings.push(forbidden(`${path}.uniqueItems`, QUADRATIC));
  if (schema.type === "null") {
    const problem = "type cannot be set to null, use nullable as an alternative";
    findings.push(forbidden(`${path}.type`, problem));
  } else if (schema.type && !TYPES.includes(schema.type)) {
    findings.push(notSupported(`${path}.type`, schema.type, TYPES));
  }
  if (Array.isArray(schema.items)) {
    const problem = "items must be a schema object and not an array";
    findings.push(forbidden(`${path}.items`, problem));
  }
  const problem = schema.pattern ? patternProblem(schema.pattern) : undefined;
  if (problem !== undefined) {
    const text = `must be a valid regular expression, but isn't: ${problem}`;
    findings.push(invalid(`${path}.pattern`, schema.pattern, text));
  }
  return [...findings, ...validateExtensions(schema, path), ...validateInner(schema, path, place)];
}

function validateInner(schema: Schema, path: string, { isRoot, noDefault }: Place): Finding[] {
  const findings: Finding[] = [];
  const inside = noDefault === undefined ? {} : { noDefault };
  const look = (inner: Schema, at: string, why?: string) => {
    const reason = why ?? noDefault;
    const place = reason === undefined ? { isRoot: false } : { isRoot: false, noDefault: reason };
    findings.push(...validateKeywords(inner, at, { ...inside, ...place }));
  };
  const additional = additionalOf(schema);
  if (additional !== undefined) {
    const hasProperties = Object.keys(schema.properties ?? {}).length > 0;
    if (hasProperties && additional !== true) {
      const problem = "additionalProperties and properties are mutual exclusive";
      findings.push(forbidden(`${path}.additionalProperties`, problem));
    }
    if (typeof additional === "object") look(additional, `${path}.additionalProperties`);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = isRoot && RESOURCE_FIELDS.has(name);
    look(property, `${path}.properties[${name}]`, isMeta ? `in top-level ${name}` : undefined);
  }
  const items = itemsOf(schema);
  if (items) look(items, `${path}.items`);
  if (schema.not) look(schema.not, `${path}.not`, "inside not");
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [at, each] of (schema[keyword] ?? []).entries()) {
      look(each, `${path}.${keyword}[${at}]`, `inside ${keyword}`);
    }
  }
  return findings;
}

/** A default is a value like any other: of its schema, without fields that nobody knows. */
function validateDefaults(schema: Schema, path: string): Finding[] {
  const findings: Finding[] = [];
  if (schema.default !== undefined && schema.default !== null) {
    const at = `${path}.default`;
    const value = schema.default as Json;
    const filled = withDefaults(value, schema);
    const { unknown } = prune(filled, schema, isEmbedded(schema));
    if (unknown.length > 0) {
      findings.push(invalid(at, value, `must not have unknown fields: ${unknown.join(", ")}`));
    }
    findings.push(...validateValue(filled, schema, at));
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    findings.push(...validateDefaults(property, `${path}.properties[${name}]`));
  }
  const items = itemsOf(schema);
  if (items) findings.push(...validateDefaults(items, `${path}.items`));
  const additional = additionalOf(schema);
  if (typeof additional === "object") {
    findings.push(...validateDefaults(additional, `${path}.additionalProperties`));
  }
  return findings;
}
