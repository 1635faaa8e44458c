/**
 * Pure: objects that kubectl applied client-side before: its annotation says what it owned. The
 * annotation is updated as long as kubectl continues to apply.
 */
import type { Json } from "../../api/object.ts";
import type { FieldSchema } from "../../api/schema/field-schema.ts";
import { JsonSyntaxError, parseJson } from "../../api/schema/json-text.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet } from "./field-set.ts";
import { findMismatches } from "./find-mismatches.ts";
import { toFieldSet } from "./to-field-set.ts";
import { mapOf } from "./value.ts";

/** The only manager that may take over fields from client-side apply. */
export const KUBECTL = "kubectl";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The limit for all annotations of an object together. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Fields that still have the values that kubectl applied: it may take them over. */
export function fieldsLastApplied(
  schema: FieldSchema,
  live: Json,
  apiVersion: string,
): FieldSet | undefined {
  const applied = parsedOrNothing(annotationsOf(live)?.[LAST_APPLIED]);
  if (applied === undefined || mapOf(applied)?.["apiVersion"] !== apiVersion) return undefined;
  if (findMismatches(schema, applied).length > 0) return undefined;
  const { added, modified, removed } = compare(schema, applied, live);
  return [modified, added, removed].reduce(difference, toFieldSet(schema, applied));
}

function parsedOrNothing(text: Json | undefined): Json | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  try {
    return parseJson(text).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** The annotations with the configuration applied now, if they contain the previous one. */
export function renewLastApplied(
  annotations: { readonly [name: string]: string } | undefined,
  config: Json,
): { [name: string]: string } | undefined {
  if (annotations === undefined || !annotations[LAST_APPLIED]) return undefined;
  const renewed = { ...annotations, [LAST_APPLIED]: formatApplied(config) };
  const bytes = Object.entries(renewed).reduce((sum, [name, text]) => {
    return sum + Buffer.byteLength(name) + Buffer.byteLength(text);
  }, 0);
  if (bytes <= MAX_ANNOTATION_BYTES) return renewed;
  const { [LAST_APPLIED]: _, ...others } = renewed;
  return others;
}

function formatApplied(config: Json): string {
  const object = mapOf(config) ?? {};
  const metadata = mapOf(object["metadata"]) ?? {};
  const { annotations: given, ...rest } = metadata;
  const annotations = mapOf(given);
  if (annotations === undefined) return `${JSON.stringify(sorted(object))}\n`;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  const bare = { ...object, metadata: { ...rest, annotations: others } };
  return `${JSON.stringify(sorted(bare))}\n`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  const map = mapOf(value);
  if (map === undefined) return value;
  const entries = Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

function annotationsOf(object: Json): { readonly [name: string]: Json } | undefined {
  return mapOf(mapOf(mapOf(object)?.["metadata"])?.["annotations"]);
}
