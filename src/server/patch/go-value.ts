/** Pure: Go's names and output formats for JSON values, which patch error messages contain. */
import type { Json } from "../../api/object.ts";

export type JsonObject = { [key: string]: Json };

export type GoKind = "nil" | "bool" | "string" | "int64" | "float64" | "slice" | "map";

export function goKind(value: Json | undefined): GoKind {
  if (value === null || value === undefined) return "nil";
  if (Array.isArray(value)) return "slice";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "string":
      return "string";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return "map";
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return goKind(value) === "map";
}

/** The type as Go's reflection names it. */
export function goType(value: Json | undefined): string {
  const kind = goKind(value);
  if (kind === "map") return "map[string]interface {}";
  if (kind === "slice") return "[]interface {}";
  return kind === "nil" ? "%!s(<nil>)" : kind;
}

/** Go's %v: "map[a:1 b:[x y]]". */
export function formatGoValue(value: Json): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  const entries = Object.keys(value).sort();
  return `map[${entries.map((key) => `${key}:${formatGoValue(value[key] ?? null)}`).join(" ")}]`;
}

/**
 * Go's json.UnmarshalTypeError; `into` is "Go value of type T" or "Go struct field S.f of type T".
 */
export function cannotUnmarshal(value: Json, into: string): string {
  return `json: cannot unmarshal ${jsonKind(value)} into ${into}`;
}

function jsonKind(value: Json): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
