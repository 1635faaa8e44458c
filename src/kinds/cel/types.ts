/**
 * Pure: the types of CEL, the language of rules in schemas: how they are written, and which is
 * assignable to which.
 *
 * This folder implements the language. Reading order: types, value, ast with lexer and parser,
 * scope, compile, expression (everything in one call), library/ (the functions). It knows neither
 * schemas nor Kubernetes objects.
 *
 * Expressions come from users and run inside the server, so their steps are counted and limited
 * (compile.ts), and regular expressions use RE2.
 */

export interface Type {
  readonly kind: string;
  /** The element types of a list, a map or an optional. */
  readonly of?: readonly Type[];
  /** The fields of an object, by the name used in expressions. */
  readonly fields?: ReadonlyMap<string, Type>;
}

export const DYN: Type = { kind: "dyn" };
export const NULL: Type = { kind: "null" };
export const BOOL: Type = { kind: "bool" };
export const INT: Type = { kind: "int" };
export const UINT: Type = { kind: "uint" };
export const DOUBLE: Type = { kind: "double" };
export const STRING: Type = { kind: "string" };
export const BYTES: Type = { kind: "bytes" };
export const TIMESTAMP: Type = { kind: "timestamp" };
export const DURATION: Type = { kind: "duration" };
export const TYPE: Type = { kind: "type" };

export function listOf(element: Type): Type {
  return { kind: "list", of: [element] };
}

export function mapOf(key: Type, value: Type): Type {
  return { kind: "map", of: [key, value] };
}

export function optionalOf(value: Type): Type {
  return { kind: "optional", of: [value] };
}

export function objectOf(fields: ReadonlyMap<string, Type>): Type {
  return { kind: "object", fields };
}

/** The element type of a list or an optional, or the key or value type of a map. */
export function partOf(type: Type, at = 0): Type {
  return type.of?.[at] ?? DYN;
}

const SHOWN: { readonly [kind: string]: string } = {
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
  optional: "optional_type",
  null: "null_type",
};

/** The format in error messages: "list(int)". */
export function formatType({ kind, of }: Type): string {
  const name = SHOWN[kind] ?? kind;
  return of ? `${name}(${of.map(formatType).join(", ")})` : name;
}

/** "list<A>": a capital letter stands for any type, the same one at each occurrence. */
export function parseType(text: string): Type {
  const trimmed = text.trim();
  const open = trimmed.indexOf("<");
  if (open < 0) return { kind: trimmed };
  const inner = trimmed.slice(open + 1, -1);
  return { kind: trimmed.slice(0, open), of: splitArguments(inner).map(parseType) };
}

/** Splits at commas outside of brackets. */
export function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const char of text) {
    if (char === "<") depth += 1;
    if (char === ">") depth -= 1;
    if (char === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += char;
  }
  return part.trim() === "" ? parts : [...parts, part];
}

export type Bindings = Map<string, Type>;

/**
 * Whether a value of type `given` is accepted as `wanted`; binds type parameters (capital letters).
 */
export function fits(wanted: Type, given: Type, bindings: Bindings): boolean {
  if (/^[A-Z]$/.test(wanted.kind)) {
    const bound = bindings.get(wanted.kind);
    if (bound === undefined || bound.kind === "dyn" || bound.kind === "null") {
      bindings.set(wanted.kind, given);
      return bound?.kind !== "null" || isNullable(given) || given.kind === "dyn";
    }
    return fits(bound, given, bindings) || (given.kind === "null" && isNullable(bound));
  }
  if (wanted.kind === "dyn" || given.kind === "dyn") return true;
  if (wanted.kind !== given.kind) return false;
  if (wanted.fields && given.fields) return isSameObject(wanted, given);
  return (wanted.of ?? []).every((part, at) => fits(part, partOf(given, at), bindings));
}

/** Everything may be compared with null, because a schema may allow null anywhere. */
function isNullable(_type: Type): boolean {
  return true;
}

function isSameObject(one: Type, other: Type): boolean {
  if (one.fields === other.fields) return true;
  const [left, right] = [one.fields ?? new Map(), other.fields ?? new Map()];
  if (left.size !== right.size) return false;
  return [...left].every(([name, type]) => {
    const same = right.get(name);
    return same !== undefined && fits(type, same, new Map());
  });
}

/** Replaces type parameters by the types they were bound to. */
export function substitute(type: Type, bindings: Bindings): Type {
  if (/^[A-Z]$/.test(type.kind)) return bindings.get(type.kind) ?? DYN;
  return type.of ? { ...type, of: type.of.map((part) => substitute(part, bindings)) } : type;
}

/** The common type of two alternatives. */
export function joined(one: Type, other: Type): Type {
  if (one.kind === "null" && other.kind !== "dyn") return other;
  if (other.kind === "null" && one.kind !== "dyn") return one;
  if (one.kind === "dyn" || other.kind === "dyn") return DYN;
  if (one.kind !== other.kind) return DYN;
  if (one.fields) return isSameObject(one, other) ? one : DYN;
  if (!one.of) return one;
  return { kind: one.kind, of: one.of.map((part, at) => joined(part, partOf(other, at))) };
}
