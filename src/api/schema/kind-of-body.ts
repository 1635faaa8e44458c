/**
 * Pure: determines the kind of a parsed text, and decodes it as that kind. It does not parse texts,
 * so it is also used for results of patches.
 */
import { badRequest } from "../errors.ts";
import { quote } from "../finding.ts";
import type { Draft, Json, KubeObject } from "../object.ts";
import { type Decoded, DecodeError, decodeMessage, decodeObject } from "./decode.ts";
import { NumberLiteral, type ParsedJson, parsed, RepeatedKeys } from "./parsed-json.ts";
import { describe } from "./reading.ts";
import { findMessageOfKind, type GroupVersionKind, structName } from "./tables.ts";

export interface ExpectedKind extends GroupVersionKind {
  /** The name of the message: "batch/v1.Job". */
  readonly message: string;
  /** Decodes instead of the tables, for kinds that users defined. */
  readonly custom?: {
    readonly decode: (json: ParsedJson) => Decoded<Draft<KubeObject>>;
  };
}

/**
 * Decodes the result of a patch as an object of the expected kind. The kind in the object counts,
 * except that without a version Go uses its internal type, which has no JSON field names.
 */
export function decodePatched(
  json: ParsedJson,
  expected: ExpectedKind,
  known?: KubeObject,
): Decoded<Draft<KubeObject>> {
  if (expected.custom) return expected.custom.decode(json);
  if (known && isSameKindAs(known, json.value)) {
    const typeMeta = { apiVersion: formatGroupVersion(expected), kind: expected.kind };
    return decodeObject(json, expected.message, typeMeta, known);
  }
  const actual = interpret(parsed(sortedByKey(json.value)));
  const kind = actual.kind === "" ? expected.kind : actual.kind;
  if (actual.version !== "") {
    const isKnown = (target: GroupVersionKind) => findMessageOfKind(target) !== undefined;
    return decodeAs(json, { ...actual, kind }, { ...expected, isKnown, known });
  }
  const unknown = Object.keys(json.value as object).filter(
    (key) => !KIND_FIELDS.has(key.toLowerCase()),
  );
  const object = { apiVersion: "", kind, metadata: {} };
  return { object, strict: unknown.sort().map((key) => `unknown field ${quote(key)}`) };
}

/** Whether a changed object has the same kind as before and no additional top-level fields. */
function isSameKindAs(known: KubeObject, value: Json): boolean {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  if (value["apiVersion"] !== known.apiVersion || value["kind"] !== known.kind) return false;
  return Object.keys(value).every((key) => Object.hasOwn(known, key));
}

/** Go writes the result with sorted keys: "KIND" comes before "kind". */
function sortedByKey(value: Json): Json {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** `no kind "X" is registered for version "batch/v1" in scheme "…"` */
export function notRegistered(target: GroupVersionKind, scheme = LEGACY_SCHEME): string {
  const version = quote(formatGroupVersion(target));
  return `no kind ${quote(target.kind)} is registered for version ${version} in scheme "${scheme}"`;
}

const LEGACY_SCHEME = "pkg/api/legacyscheme/scheme.go:30";

export const NO_KIND = "couldn't get version/kind; json parse error";
/** The anonymous Go struct that the kind is read into; its description is part of the message. */
const KIND_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
  'Kind string "json:\\"kind,omitempty\\"" }';

/** The kind in the text. Unlike all other fields, these are matched case-insensitively. */
export function interpret(json: ParsedJson): GroupVersionKind {
  const value = json.exact ?? json.value;
  if (value === null) return { group: "", version: "", kind: "" };
  if (typeof value !== "object" || Array.isArray(value) || value instanceof NumberLiteral) {
    const problem = `cannot unmarshal ${describe(value)} into Go value of type ${KIND_STRUCT}`;
    throw new DecodeError(`${NO_KIND}: json: ${problem}`);
  }
  const read = { apiVersion: "", kind: "" };
  for (const [key, item] of value instanceof RepeatedKeys ? value.entries : Object.entries(value)) {
    const field = KIND_FIELDS.get(key.toLowerCase());
    if (field === undefined || item === null) continue;
    if (typeof item !== "string") {
      const where = `Go struct field .${field} of type string`;
      throw new DecodeError(`${NO_KIND}: json: cannot unmarshal ${describe(item)} into ${where}`);
    }
    read[field] = item;
  }
  return { ...parseGroupVersion(read.apiVersion), kind: read.kind };
}

const KIND_FIELDS: ReadonlyMap<string, "apiVersion" | "kind"> = new Map([
  ["apiversion", "apiVersion"],
  ["kind", "kind"],
]);

function parseGroupVersion(text: string): { group: string; version: string } {
  if (text === "" || text === "/") return { group: "", version: "" };
  const [first = "", second, third] = text.split("/");
  if (third !== undefined) throw new DecodeError(`unexpected GroupVersion string: ${text}`);
  return second === undefined ? { group: "", version: first } : { group: first, version: second };
}

/** Missing parts are taken from the URL. */
export function withDefaults(
  actual: GroupVersionKind,
  expected: GroupVersionKind,
): GroupVersionKind {
  const kind = actual.kind === "" ? expected.kind : actual.kind;
  if (actual.version !== "") return { ...actual, kind };
  const isSilent = actual.group === "" || actual.group === expected.group;
  return isSilent ? { ...expected, kind } : { ...actual, kind };
}

interface Expectation extends ExpectedKind {
  readonly isKnown: (target: GroupVersionKind) => boolean;
  /** The canonical object that the JSON is a changed copy of. */
  readonly known: KubeObject | undefined;
}

export function decodeAs(
  json: ParsedJson,
  actual: GroupVersionKind,
  expected: Expectation,
): Decoded<Draft<KubeObject>> {
  if (expected.custom) {
    refuseOtherVersion(actual, expected);
    return expected.custom.decode(json);
  }
  if (actual.version === "") {
    throw new DecodeError(`Object 'apiVersion' is missing in '${JSON.stringify(json.value)}'`);
  }
  if (isSameKind(actual, expected)) {
    const typeMeta = { apiVersion: formatGroupVersion(expected), kind: expected.kind };
    return decodeObject(json, expected.message, typeMeta, expected.known);
  }
  if (!expected.isKnown(actual)) throw new DecodeError(notRegistered(actual));
  const message = findMessageOfKind(actual);
  if (message !== undefined) decodeMessage(json, message);
  if (actual.kind === expected.kind && internalPackage(actual) === internalPackage(expected)) {
    refuseOtherVersion(actual, expected);
  }
  const source = `${actual.version}.${actual.kind}`;
  const target = `${internalPackage(expected)}.${structName(expected.message)}`;
  throw new DecodeError(`converting (${source}) to (${target}): unknown conversion`);
}

function refuseOtherVersion(actual: GroupVersionKind, expected: GroupVersionKind): void {
  const versions = { data: formatGroupVersion(actual), url: formatGroupVersion(expected) };
  if (versions.data === versions.url) return;
  throw badRequest(
    `the API version in the data (${versions.data}) does not match ` +
      `the expected API version (${versions.url})`,
  );
}

function isSameKind(actual: GroupVersionKind, expected: GroupVersionKind): boolean {
  return (
    actual.kind === expected.kind &&
    actual.version === expected.version &&
    actual.group === expected.group
  );
}

/** The Go package of the internal types. Both groups of events share one. */
function internalPackage({ group }: GroupVersionKind): string {
  if (group === "" || group === "events.k8s.io") return "core";
  return group.split(".")[0] ?? group;
}

function formatGroupVersion({ group, version }: GroupVersionKind): string {
  return group === "" ? version : `${group}/${version}`;
}
