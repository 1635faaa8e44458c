/** Pure: validates a custom resource: its values, its lists, then its rules. */
import { type Finding, invalid, required } from "../../api/finding.ts";
import type { Json, KubeObject } from "../../api/object.ts";
import { validateListTypes } from "./list-types.ts";
import { hasRules, validateRules } from "./rules.ts";
import { childPath, fieldSchema, isEmbedded, isObject, itemsOf, type Schema } from "./schema.ts";
import { NOWHERE, validateValue } from "./validate-value.ts";

export function validateContent(
  next: KubeObject,
  old: KubeObject | undefined,
  schema: Schema,
): Finding[] {
  const value = next as unknown as Json;
  const before = old as unknown as Json | undefined;
  const findings: Finding[] = [
    ...validateValue(value, schema, "", before),
    ...validateEmbedded(value, schema, "", true),
    ...validateListTypes(value, schema, ""),
  ];
  if (!hasRules(schema)) return findings;
  if (findings.some(isBlocking)) {
    return [...findings, invalid(NOWHERE, null, UNCHECKED)];
  }
  return [...findings, ...validateRules(value, schema, before)];
}

/** If a value has the wrong type or is too large, rules cannot be evaluated on it. */
function isBlocking({ type }: Finding): boolean {
  return ["Required", "NotSupported", "TooLong", "TooMany", "TypeInvalid"].includes(type);
}

const UNCHECKED =
  "some validation rules were not checked because the object was invalid; " +
  "correct the existing errors to complete validation";

function validateEmbedded(value: Json, schema: Schema, path: string, isRoot = false): Finding[] {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (!items) return [];
    return value.flatMap((item, at) => validateEmbedded(item, items, childPath(path, at)));
  }
  if (!isObject(value)) return [];
  const findings = isEmbedded(schema) && !isRoot ? missingType(value, path) : [];
  for (const name in value) {
    const item = value[name] ?? null;
    if (item === null || typeof item !== "object") continue;
    const field = fieldSchema(schema, name);
    if (!field) continue;
    for (const found of validateEmbedded(item, field, childPath(path, name))) findings.push(found);
  }
  return findings;
}

function missingType(value: { readonly [key: string]: Json }, path: string): Finding[] {
  return ["apiVersion", "kind"].flatMap((field) => {
    const given = value[field];
    if (given === undefined || given === "") {
      return [required(childPath(path, field), "must not be empty")];
    }
    return [];
  });
}
