/** Pure: finds where a configuration does not fit its schema, in Kubernetes' words. */
import type { Json } from "../../api/object.ts";
import type { FieldSchema, ListSchema, MapSchema } from "../../api/schema/field-schema.ts";
import { formatGoValue, goType } from "../patch/go-value.ts";
import { ElementError, formatElement, itemElement } from "./path-element.ts";
import { formOf, listOf, mapOf, schemaOfKey } from "./value.ts";

/** `.data.a: expected string, got &value.valueUnstructured{Value:1}`, one per mistake. */
export function findMismatches(schema: FieldSchema, value: Json, path = ""): string[] {
  if (value === null) return [];
  const form = formOf(schema, value);
  switch (form.kind) {
    case "scalar": {
      const problem = scalarProblem(form.type, value);
      return problem === undefined ? [] : [at(path, problem)];
    }
    case "list": {
      const items = listOf(value);
      if (items === undefined) return [at(path, `expected list, got ${formatPlain(value)}`)];
      return itemMismatches(form, items, path);
    }
    case "map": {
      const map = mapOf(value);
      if (map === undefined) return [at(path, `expected map, got ${formatPlain(value)}`)];
      return keyMismatches(form, map, path);
    }
  }
}

export function formatMismatches(mismatches: readonly string[]): string {
  const [only] = mismatches;
  if (only !== undefined && mismatches.length === 1) return only;
  return `errors:\n${mismatches.map((each) => `  ${each}`).join("\n")}`;
}

function at(path: string, problem: string): string {
  return path === "" ? problem : `${path}: ${problem}`;
}

function scalarProblem(type: string, value: Json): string | undefined {
  switch (type) {
    case "string":
      if (typeof value === "string") return undefined;
      return `expected string, got &value.valueUnstructured{Value:${formatExact(value)}}`;
    case "numeric":
      if (typeof value === "number") return undefined;
      return `expected numeric (int or float), got ${goType(value)}`;
    case "boolean":
      if (typeof value === "boolean") return undefined;
      return `expected boolean, got ${formatPlain(value)}`;
    default:
      if (typeof value !== "object") return undefined;
      return `expected any scalar, got ${formatPlain(value)}`;
  }
}

function itemMismatches(list: ListSchema, items: readonly Json[], path: string): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (list.relation === "atomic") {
      found.push(...findMismatches(list.element(), item, `${path}[${index}]`));
      continue;
    }
    const element = elementOrProblem(list, item);
    if (element instanceof ElementError) {
      found.push(at(path, `element ${index}: ${element.message}`));
      continue;
    }
    const shown = formatElement(element);
    if (seen.has(element)) found.push(at(path, `duplicate entries for key ${shown}`));
    seen.add(element);
    found.push(...findMismatches(list.element(), item, `${path}${shown}`));
  }
  return found;
}

function elementOrProblem(list: ListSchema, item: Json): string | ElementError {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof ElementError) return error;
    throw error;
  }
}

function keyMismatches(
  map: MapSchema,
  value: { readonly [key: string]: Json },
  path: string,
): string[] {
  return Object.entries(value).flatMap(([key, item]) => {
    const schema = schemaOfKey(map, key);
    const place = `${path}.${key}`;
    if (schema === undefined) return [at(place, "field not declared in schema")];
    return findMismatches(schema, item, place);
  });
}

/** As Go prints a value including all types (%#v). */
function formatExact(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(formatExact).join(", ")}}`;
  const map = mapOf(value);
  if (map === undefined) return JSON.stringify(value);
  const entries = Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1));
  const shown = entries.map(([key, item]) => `${JSON.stringify(key)}:${formatExact(item)}`);
  return `map[string]interface {}{${shown.join(", ")}}`;
}

function formatPlain(value: Json): string {
  return `&{${formatGoValue(value)}}`;
}
