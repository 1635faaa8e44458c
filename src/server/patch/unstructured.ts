/**
 * Pure: finds where a merged object does not fit its type. Errors about a strategic merge patch use
 * the words of Go's conversion, not those of its JSON decoder. Types with their own decoding
 * (quantities, times) are left to the decoder.
 */
import type { Json } from "../../api/object.ts";
import { canonicalBase64 } from "../../api/schema/base64.ts";
import { jsonFields, parseType, type Scalar } from "../../api/schema/tables.ts";
import { cannotUnmarshal, goKind, isObject } from "./go-value.ts";

/**
 * `type` is a reference into the schema tables. Parts that are identical to `known`, which fits the
 * type, are skipped.
 */
export function findMismatch(value: Json, type: string, known?: Json): string | undefined {
  return findIn(value, { type, go: "" }, known);
}

interface GoType {
  readonly type: string;
  /** As Go prints it. */
  readonly go: string;
}

function findIn(value: Json, { type, go }: GoType, known?: Json): string | undefined {
  if (value === null || value === known) return undefined;
  const reference = parseType(type);
  switch (reference.kind) {
    case "message":
      return findInStruct(value, reference.name, known);
    case "list":
      return findInList(value, { type: reference.element, go: elementOf(go) });
    case "map":
      return findInMap(value, { type: reference.element, go: elementOf(go) });
    case "scalar":
      return findInScalar(value, reference.name, go);
  }
}

function findInStruct(value: Json, messageName: string, known?: Json): string | undefined {
  if (!isObject(value)) return `cannot restore struct from: ${goKind(value)}`;
  const before = known !== undefined && isObject(known) ? known : {};
  for (const [name, field] of jsonFields(messageName)) {
    if (!Object.hasOwn(value, name)) continue;
    const found = findIn(value[name] ?? null, field, before[name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findInList(value: Json, element: GoType): string | undefined {
  if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`;
  return firstFound(value, element);
}

function findInMap(value: Json, element: GoType): string | undefined {
  if (!isObject(value)) return `cannot restore map from ${goKind(value)}`;
  return firstFound(Object.values(value), element);
}

function firstFound(values: readonly Json[], element: GoType): string | undefined {
  for (const value of values) {
    const found = findIn(value, element);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** "string" from "[]string" and from "map[string]string". */
function elementOf(go: string): string {
  return go.replace(/^(\[\]|map\[\w+\])/, "");
}

/**
 * Go's reflection can convert between some kinds that JSON distinguishes; for these it has its own
 * error messages.
 */
function findInScalar(value: Json, scalar: Scalar, go: string): string | undefined {
  const kind = goKind(value);
  switch (scalar) {
    case "string":
      if (kind === "string") return undefined;
      return kind === "int64" ? `cannot convert int64 to ${go}` : "unrecognized type: string";
    case "bool":
      return kind === "bool" ? undefined : "unrecognized type: bool";
    case "int32":
    case "int64":
      if (kind === "int64") return undefined;
      return kind === "float64"
        ? `cannot convert float64 to ${go}`
        : `unrecognized type: ${scalar}`;
    case "float64":
      return kind === "int64" || kind === "float64" ? undefined : "unrecognized type: float64";
    case "bytes":
      return typeof value === "string" ? findInBytes(value) : `cannot restore slice from ${kind}`;
    case "IntOrString":
      return typeof value === "string" || kind === "int64"
        ? undefined
        : cannotUnmarshal(value, "Go value of type int32");
    default:
      return undefined;
  }
}

function findInBytes(text: string): string | undefined {
  const read = canonicalBase64(text);
  if (!("at" in read)) return undefined;
  return `error decoding from json: illegal base64 data at input byte ${read.at}`;
}
