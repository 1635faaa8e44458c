/** Pure: checks which keywords a schema uses, and whether its parts are consistent. */
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import type { Json } from "../../api/object.ts";
import { withDefaults } from "../customresource/defaults.ts";
import { prune } from "../customresource/prune.ts";
import { additionalOf, isEmbedded, isObject, type Schema } from "../customresource/schema.ts";
import { NOWHERE, validateValue } from "../customresource/validate-value.ts";
import { partsOf } from "./schema-parts.ts";
import { validateExtensions } from "./validate-extensions.ts";
import { validateRuleTexts } from "./validate-rule-text.ts";
import { validateRules } from "./validate-rules.ts";
import { validateStructural } from "./validate-structural.ts";

export interface SchemaContext {
  readonly hasStatus: boolean;
  /** The schema before an update: what was accepted then may stay. */
  readonly old: Schema | undefined;
}

export function validateSchema(schema: Schema, path: string, context: SchemaContext): Finding[] {
  const findings = [
    ...(context.hasStatus ? validateRoot(schema, path) : []),
    ...(schema.nullable
      ? [forbidden(`${path}.nullable`, "nullable cannot be true at the root")]
      : []),
  ];
  const unreadable = unsupportedIn(schema);
  const structural = unreadable === undefined ? validateStructural(schema, path) : [];
  const isSound = unreadable === undefined && structural.length === 0;
  const defaults = isSound ? validateDefaults(schema, path, true) : [];
  const mistaken = validateKeywords(schema, path, { isRoot: true });
  findings.push(...structural, ...defaults, ...mistaken);
  if (isSound && defaults.length === 0) {
    const isMistaken = (at: string) => mistaken.some(({ field }) => field.startsWith(`${at}.`));
    findings.push(...validateRules(schema, path, context.old, isMistaken));
  }
  if (findings.length > 0 || unreadable === undefined) return findings;
  return [invalid(path, "", `OpenAPIV3Schema '${unreadable}' is not supported`)];
}

const PRESERVES = "x-kubernetes-preserve-unknown-fields";

/** Returns the first keyword, anywhere in it, that a structural schema does not support. */
function unsupportedIn(schema: Schema): string | undefined {
  if (schema.$schema) return "schema";
  if (hasManyItems(schema)) return "items";
  if (schema[PRESERVES] === false) return PRESERVES;
  for (const keyword of UNSUPPORTED) if (isSet(schema, keyword)) return keyword;
  for (const { part } of partsOf(schema)) {
    const found = unsupportedIn(part);
    if (found !== undefined) return found;
  }
  return undefined;
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

/** The status is validated separately, so the root must not restrict it. */
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
  readonly isMeta?: boolean;
  /** Why defaults are not allowed here. */
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
  if (schema.type && !TYPES.includes(schema.type)) {
    findings.push(notSupported(`${path}.type`, schema.type, TYPES));
  }
  if (schema.default !== undefined && place.noDefault !== undefined) {
    findings.push(forbidden(`${path}.default`, `must not be set ${place.noDefault}`));
  }
  for (const keyword of UNSUPPORTED) {
    if (!isSet(schema, keyword)) continue;
    findings.push(forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
  }
  if (schema.type === "null") {
    const problem = "type cannot be set to null, use nullable as an alternative";
    findings.push(forbidden(`${path}.type`, problem));
  }
  if (hasManyItems(schema)) {
    const problem = "items must be a schema object and not an array";
    findings.push(forbidden(`${path}.items`, problem));
  }
  if (place.isMeta && isEmbedded(schema)) {
    const problem = "must not be used inside of resource meta";
    findings.push(forbidden(`${path}.x-kubernetes-embedded-resource`, problem));
  }
  if (schema.uniqueItems) findings.push(forbidden(`${path}.uniqueItems`, QUADRATIC));
  return [
    ...findings,
    ...validateExclusive(schema, path),
    ...partsOf(schema).flatMap(({ part, at, of }) =>
      validateKeywords(part, `${path}.${at}`, placeWithin(place, of)),
    ),
    ...validateExtensions(schema, path),
    ...validateRuleTexts(schema, path),
  ];
}

function hasManyItems({ items }: Schema): boolean {
  return Array.isArray(items) && items.length > 0;
}

function isSet(schema: Schema, keyword: (typeof UNSUPPORTED)[number]): boolean {
  const value = schema[keyword];
  if (value === undefined || value === null || value === "")
    return keyword === "$ref" && value === "";
  const isMap = keyword === "definitions" || keyword === "patternProperties";
  return !isMap || Object.keys(value).length > 0;
}

function placeWithin({ isRoot, isMeta, noDefault }: Place, of: string): Place {
  const isResourceField = isRoot && RESOURCE_FIELDS.has(of);
  const why = isResourceField ? `in top-level ${of}` : noDefault;
  return {
    isRoot: false,
    isMeta: isMeta === true || (isRoot && of === "metadata"),
    ...(why === undefined ? {} : { noDefault: why }),
  };
}

function validateExclusive(schema: Schema, path: string): Finding[] {
  const additional = additionalOf(schema);
  const hasProperties = Object.keys(schema.properties ?? {}).length > 0;
  if (additional === undefined || additional === true || !hasProperties) return [];
  const problem = "additionalProperties and properties are mutual exclusive";
  return [forbidden(`${path}.additionalProperties`, problem)];
}

/** A default must match its schema and have no unknown fields. */
function validateDefaults(schema: Schema, path: string, isRoot = false): Finding[] {
  const findings: Finding[] = [];
  if (schema.default !== undefined && schema.default !== null) {
    const at = `${path}.default`;
    const value = schema.default as Json;
    const isResource = isRoot || isEmbedded(schema);
    const filled = withDefaults(value, schema);
    const { unknown } = prune(filled, schema, isResource);
    if (unknown.length > 0) findings.push(invalid(at, value, "must not have unknown fields"));
    findings.push(...(isResource ? missingType(value, at) : []));
    findings.push(...validateValue(filled, schema, "").map((found) => within(found, at)));
  }
  for (const { part, at } of partsOf(schema)) {
    if (OWN_PARTS.test(at)) findings.push(...validateDefaults(part, `${path}.${at}`));
  }
  return findings;
}

const OWN_PARTS = /^(properties\[|items|additionalProperties)/;

function missingType(value: Json, path: string): Finding[] {
  if (!isObject(value)) return [];
  return ["apiVersion", "kind"].flatMap((field) =>
    value[field] ? [] : [required(`${path}.${field}`)],
  );
}

function within(found: Finding, path: string): Finding {
  const { field } = found;
  if (field === "" || field === NOWHERE) return { ...found, field: path };
  return { ...found, field: field.startsWith("[") ? `${path}${field}` : `${path}.${field}` };
}

export function hasDefaults(schema: Schema | undefined): boolean {
  if (!schema) return false;
  if (schema.default !== undefined && schema.default !== null) return true;
  return partsOf(schema).some(({ part }) => hasDefaults(part));
}
