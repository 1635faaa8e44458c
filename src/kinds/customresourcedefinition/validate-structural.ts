/**
 * Pure: checks whether a schema is structural: every field is specified in one place, and allOf,
 * anyOf, oneOf and not only restrict it further.
 */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, formatFinding, invalid, required } from "../../api/finding.ts";
import { patternProblem } from "../customresource/patterns.ts";
import {
  additionalOf,
  isEmbedded,
  isIntOrString,
  itemsOf,
  keepsUnknown,
  propertyOf,
  type Schema,
} from "../customresource/schema.ts";
import { partsOf } from "./schema-parts.ts";

export function validateStructural(schema: Schema, path: string): Finding[] {
  const findings = [
    ...validatePart(schema, path, "root"),
    ...validateMissing(schema, schema, path, path),
  ];
  // Fields have no order, so the findings are sorted as text.
  return findings
    .map((found) => ({ found, text: formatFinding(found) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ found }) => found);
}

type Level = "root" | "item" | "field";

const EMPTY: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function validatePart(schema: Schema, path: string, level: Level): Finding[] {
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  return [
    ...(schema.type === "array" && schema.items === undefined
      ? [required(`${path}.items`, "must be specified")]
      : []),
    ...(additional !== undefined && level === "root"
      ? [forbidden(`${path}.additionalProperties`, "must not be used at the root")]
      : []),
    ...validateType(schema, path, level),
    ...validateResource(schema, path, level),
    ...validatePattern(schema, path),
    ...validateAlternatives(schema, path, typesOfBoth(schema)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      validatePart(property, `${path}.properties[${name}]`, "field"),
    ),
    ...(items ? validatePart(items, `${path}.items`, "item") : []),
    ...(typeof additional === "object"
      ? validatePart(additional, `${path}.additionalProperties`, "field")
      : []),
  ];
}

function validateType(schema: Schema, path: string, level: Level): Finding[] {
  const at = `${path}.type`;
  const { type = "" } = schema;
  if (isEmbedded(schema) && type !== "object") {
    const problem = "must be object if x-kubernetes-embedded-resource is true";
    return [type === "" ? required(at, problem) : invalid(at, type, problem)];
  }
  if (type === "" && !isIntOrString(schema) && !keepsUnknown(schema)) {
    return [required(at, EMPTY[level])];
  }
  if (level !== "root" || type === "object" || type === "") return [];
  return [invalid(at, type, "must be object at the root")];
}

const ONLY_NAMES =
  "must not specify anything other than name and generateName, but metadata is implicitly specified";

function validateResource(schema: Schema, path: string, level: Level): Finding[] {
  const findings: Finding[] = [];
  const properties = schema.properties ?? {};
  if (isEmbedded(schema) && !keepsUnknown(schema) && Object.keys(properties).length === 0) {
    const problem =
      "must not be empty if x-kubernetes-embedded-resource is true without " +
      "x-kubernetes-preserve-unknown-fields";
    findings.push(required(`${path}.properties`, problem));
  }
  if (level !== "root" && !isEmbedded(schema)) return findings;
  for (const name of ["kind", "apiVersion"]) {
    const property = propertyOf(schema, name);
    if (!property || property.type === "string") continue;
    const at = `${path}.properties[${name}].type`;
    findings.push(invalid(at, property.type ?? "", "must be string"));
  }
  const metadata = propertyOf(schema, "metadata");
  if (!metadata) return findings;
  const at = `${path}.properties[metadata]`;
  if (metadata.type !== "object") {
    findings.push(invalid(`${at}.type`, metadata.type ?? "", "must be object"));
  }
  if (level === "root" && !isPlainMeta(metadata)) findings.push(forbidden(at, ONLY_NAMES));
  return findings;
}

function isPlainMeta({ type: _type, default: _default, properties, ...others }: Schema): boolean {
  const names = Object.keys(properties ?? {});
  return (
    names.every((name) => name === "name" || name === "generateName") &&
    Object.values(others).every((value) => !value)
  );
}

function validatePattern({ pattern }: Schema, path: string): Finding[] {
  const problem = pattern ? patternProblem(pattern) : undefined;
  if (problem === undefined) return [];
  const text = `must be a valid regular expression, but isn't: ${problem}`;
  return [invalid(`${path}.pattern`, pattern, text)];
}

/** An int-or-string may list its two types explicitly, in one of two places. */
function typesOfBoth(schema: Schema): readonly Schema[] {
  if (!isIntOrString(schema)) return [];
  const places = [schema.anyOf ?? [], schema.allOf?.[0]?.anyOf ?? []];
  return places.filter((anyOf) => isEqual(anyOf, BOTH_TYPES)).flat();
}

const BOTH_TYPES = [{ type: "integer" }, { type: "string" }];

const COMBINED = ["allOf", "anyOf", "oneOf"] as const;

function validateAlternatives(
  schema: Schema,
  path: string,
  typed: readonly Schema[] = [],
): Finding[] {
  const nested = [
    ...COMBINED.flatMap((keyword) =>
      (schema[keyword] ?? []).map((each, at) => [each, `${path}.${keyword}[${at}]`] as const),
    ),
    ...(schema.not ? [[schema.not, `${path}.not`] as const] : []),
  ];
  return nested.flatMap(([each, place]) => [
    ...validateNested(each, place, typed.includes(each)),
    ...validateAlternatives(each, place, typed),
  ]);
}

const NOT_NESTED: readonly (readonly [keyof Schema, string])[] = [
  ["additionalProperties", "undefined"],
  ["default", "undefined"],
  ["title", "empty"],
  ["description", "empty"],
  ["nullable", "false"],
  ["x-kubernetes-preserve-unknown-fields", "false"],
  ["x-kubernetes-embedded-resource", "false"],
  ["x-kubernetes-int-or-string", "false"],
  ["x-kubernetes-list-map-keys", "empty"],
  ["x-kubernetes-list-type", "undefined"],
  ["x-kubernetes-map-type", "undefined"],
  ["x-kubernetes-validations", "empty"],
];

function validateNested(schema: Schema, path: string, mayBeTyped: boolean): Finding[] {
  const findings = validatePattern(schema, path);
  if (schema.type && !mayBeTyped) {
    findings.push(forbidden(`${path}.type`, "must be empty to be structural"));
  }
  for (const [keyword, state] of NOT_NESTED) {
    const value = schema[keyword];
    if (value === undefined || value === "" || value === false) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    findings.push(forbidden(`${path}.${keyword}`, `must be ${state} to be structural`));
  }
  if (propertyOf(schema, "metadata")) {
    const at = `${path}.properties[metadata]`;
    findings.push(forbidden(at, "must not be specified in a nested context"));
  }
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const at = `${path}.properties[${name}]`;
    return [...validateNested(property, at, false), ...validateAlternatives(property, at)];
  });
  const items = itemsOf(schema);
  const ofItems = items
    ? [
        ...validateNested(items, `${path}.items`, false),
        ...validateAlternatives(items, `${path}.items`),
      ]
    : [];
  return [...findings, ...inner, ...ofItems];
}

/** A field that a restriction names must also be specified outside of it. */
function validateMissing(schema: Schema, whole: Schema, path: string, root: string): Finding[] {
  if (partsOf(schema).length === 0) return [];
  const nested = [
    ...COMBINED.flatMap((keyword) =>
      (schema[keyword] ?? []).map((each, at) => [each, `${path}.${keyword}[${at}]`] as const),
    ),
    ...(schema.not ? [[schema.not, `${path}.not`] as const] : []),
  ];
  const items = itemsOf(schema);
  const wholeItems = itemsOf(whole);
  return [
    ...nested.flatMap(([each, at]) => missingIn(each, whole, at, root)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const place = `.properties[${name}]`;
      const own = propertyOf(whole, name);
      return own ? validateMissing(property, own, path + place, root + place) : [];
    }),
    ...(items && wholeItems
      ? validateMissing(items, wholeItems, `${path}.items`, `${root}.items`)
      : []),
  ];
}

function missingIn(nested: Schema, whole: Schema, path: string, root: string): Finding[] {
  const items = itemsOf(nested);
  const wholeItems = itemsOf(whole);
  const additional = additionalOf(whole);
  const because = (at: string) => `because it is defined in ${at}`;
  return [
    ...Object.entries(nested.properties ?? {}).flatMap(([name, property]) => {
      const place = `.properties[${name}]`;
      const own =
        propertyOf(whole, name) ?? (typeof additional === "object" ? additional : undefined);
      if (own) return missingIn(property, own, path + place, root + place);
      return [required(root + place, because(path + place))];
    }),
    ...(items
      ? wholeItems
        ? missingIn(items, wholeItems, `${path}.items`, `${root}.items`)
        : [required(`${root}.items`, because(`${path}.items`))]
      : []),
    ...validateMissing({ ...nested, properties: {}, items: undefined }, whole, path, root),
  ];
}
