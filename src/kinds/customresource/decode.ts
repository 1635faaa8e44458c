/**
 * Pure: decodes JSON to a custom resource. The fields of its metadata are known from the tables,
 * all others from the schema. Fields that neither knows are dropped and reported.
 */
import { quote } from "../../api/finding.ts";
import type { Draft, Json, KubeObject } from "../../api/object.ts";
import { type Decoded, DecodeError, decodeMessage } from "../../api/schema/decode.ts";
import { findDuplicates } from "../../api/schema/duplicate-fields.ts";
import { type ParsedJson, parsed } from "../../api/schema/parsed-json.ts";
import { withoutNulls } from "./defaults.ts";
import { prune } from "./prune.ts";
import { isObject, keepsUnknown, type Schema } from "./schema.ts";

/** Throws DecodeError. Kind and apiVersion are kept as written; validation checks them. */
export function decodeCustom(json: ParsedJson, schema: Schema): Decoded<Draft<KubeObject>> {
  const { value } = json;
  if (!isObject(value))
    throw new DecodeError("json: cannot unmarshal into map[string]interface {}");
  if (isDeeper(value, MAX_DEPTH)) throw new DecodeError("exceeded max depth");
  for (const field of ["Kind", "apiVersion"] as const) {
    const given = value[field === "Kind" ? "kind" : field];
    if (typeof given === "string" && given !== "") continue;
    throw new DecodeError(`Object '${field}' is missing in '${JSON.stringify(value)}'`);
  }
  const { metadata = {}, ...rest } = value;
  if (metadata !== null && !isObject(metadata)) {
    throw new DecodeError(
      `metadata: Invalid value: ${JSON.stringify(metadata)}: must be an object`,
    );
  }
  const decoded = decodeMessage(parsed(metadata), "meta/v1.ObjectMeta");
  const content = prune(rest, schema);
  const known = keepsUnknown(schema) ? content.value : withoutNulls(content.value, schema);
  const object = sortedWith(known as { [key: string]: Json }, decoded.object);
  const strict = [
    ...(json.strict ?? findDuplicates(json)),
    ...decoded.strict.map((found) => found.replace('field "', 'field "metadata.')),
    ...content.unknown.map((path) => `unknown field ${quote(path)}`),
  ];
  return { object: object as unknown as Draft<KubeObject>, strict };
}

/** Deeper than any real object, and well within the limits of recursion. */
const MAX_DEPTH = 1000;

function isDeeper(value: unknown, depth: number): boolean {
  if (depth < 0) return true;
  if (typeof value !== "object" || value === null) return false;
  const inner = value as { readonly [key: string]: unknown };
  for (const key in inner) {
    const each = inner[key];
    if (typeof each === "object" && isDeeper(each, depth - 1)) return true;
  }
  return false;
}

function sortedWith(
  content: { readonly [key: string]: Json },
  metadata: { [key: string]: Json },
): { [key: string]: Json } {
  const entries = Object.entries({ ...content, metadata });
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
