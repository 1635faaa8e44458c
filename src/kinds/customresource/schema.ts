/**
 * Pure: accessors for the parts of a structural schema.
 *
 * This folder defines what a custom resource is. Reading order: decode (with prune), defaults,
 * validate (with validate-value, formats, list-types, and rules with rule-types), columns, scale,
 * then custom-kind, which combines them. Nothing here knows where definitions are stored.
 */
import type { JSONSchemaProps } from "../../api/generated/apiextensions.ts";
import type { Json } from "../../api/object.ts";

export type Schema = JSONSchemaProps;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schema of the items of a list; undefined if there is none, or one per position. */
export function itemsOf({ items }: Schema): Schema | undefined {
  return isObject(items) ? (items as Schema) : undefined;
}

/** The schema of the values of a map; true if anything is allowed. */
export function additionalOf({ additionalProperties }: Schema): Schema | boolean | undefined {
  if (typeof additionalProperties === "boolean") return additionalProperties;
  return isObject(additionalProperties) ? (additionalProperties as Schema) : undefined;
}

export function propertyOf({ properties }: Schema, name: string): Schema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of a field: the property of that name, or additionalProperties. */
export function fieldSchema(schema: Schema, name: string): Schema | undefined {
  const property = propertyOf(schema, name);
  if (property) return property;
  const additional = additionalOf(schema);
  return typeof additional === "object" ? additional : undefined;
}

export function keepsUnknown(schema: Schema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

export function isEmbedded(schema: Schema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

export function isIntOrString(schema: Schema): boolean {
  return schema["x-kubernetes-int-or-string"] === true;
}

/** "spec.items[0].name" */
export function childPath(path: string, child: string | number): string {
  if (typeof child === "number") return `${path}[${child}]`;
  return path === "" ? child : `${path}.${child}`;
}
