/**
 * Pure: applies a patch to an object: text and object in, JSON out, before anything is decoded.
 *
 * Reading order: this file, then json-patch, merge-patch and strategic-merge with strategic-lists
 * and strategic-facts; unstructured checks that the result of a strategic merge fits its type.
 * Nothing here knows about requests, kinds or the store.
 */
import { badRequest, invalidObject } from "../../api/errors.ts";
import { invalid } from "../../api/finding.ts";
import type { Json, KubeObject } from "../../api/object.ts";
import { findDuplicates } from "../../api/schema/duplicate-fields.ts";
import { JsonSyntaxError, parseJson } from "../../api/schema/json-text.ts";
import type { ParsedJson } from "../../api/schema/parsed-json.ts";
import { cannotUnmarshal, formatGoValue, isObject, type JsonObject } from "./go-value.ts";
import { applyOperations } from "./json-patch.ts";
import { parseOperations } from "./json-patch-operations.ts";
import { mergePatch } from "./merge-patch.ts";
import { strategicMerge } from "./strategic-merge.ts";
import { findMismatch } from "./unstructured.ts";

export type PatchType = "json" | "merge" | "strategic";

export interface PatchRequest {
  readonly type: PatchType;
  /** The text of the patch. */
  readonly body: string;
  /** The object as clients see it, including kind and apiVersion. */
  readonly current: KubeObject;
  /** The message in the schema tables that describes the object. */
  readonly message: string;
}

export interface Patched {
  readonly result: Json;
  /**
   * Mistakes in the patch itself, for strict validation: duplicate keys, unknown operation fields.
   */
  readonly strict: string[];
  /** How an error about the result quotes it: `patch: Invalid value: "…"`. */
  readonly shown: () => string;
}

/**
 * The result shares unchanged parts with the current object; neither may be modified. Throws an
 * ApiError for a patch that is malformed or does not apply.
 */
export function applyPatch({ type, body, current, message }: PatchRequest): Patched {
  const document = current as unknown as JsonObject;
  switch (type) {
    case "json":
      return applyJsonPatch(document, read(body, "error decoding patch: "));
    case "merge":
      return applyMergePatch(document, read(body, "error decoding patch: "));
    case "strategic":
      return applyStrategicMerge(document, read(body, ""), message);
  }
}

/** Deeper than any object, and well below the depth at which recursion fails. */
const MAX_DEPTH = 1000;

function read(body: string, step: string): ParsedJson {
  try {
    const patch = parseJson(body);
    if (isDeeper(patch.value, MAX_DEPTH)) throw badRequest(`${step}exceeded max depth`);
    return patch;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw badRequest(`${step}${error.message}`);
    throw error;
  }
}

function applyJsonPatch(document: JsonObject, patch: ParsedJson): Patched {
  const { operations, unknown } = parseOperations(patch.value);
  const strict = [...findDuplicates(patch), ...unknown]
    .sort((one, other) => operationOf(one) - operationOf(other))
    .map((found) => `json patch ${found}`);
  const result = applyOperations(document, operations);
  return { result, strict, shown: () => JSON.stringify(result) };
}

function operationOf(complaint: string): number {
  return Number(/"\[(\d+)\]/.exec(complaint)?.[1] ?? 0);
}

function applyMergePatch(document: JsonObject, patch: ParsedJson): Patched {
  if (patch.value === null) throw badRequest("Invalid JSON Patch");
  if (!isObject(patch.value)) throw badRequest(`error decoding patch: ${notAnObject(patch.value)}`);
  const result = mergePatch(document, patch.value);
  return { result, strict: findDuplicates(patch), shown: () => JSON.stringify(result) };
}

function applyStrategicMerge(document: JsonObject, patch: ParsedJson, message: string): Patched {
  const changes = patch.value ?? {};
  if (!isObject(changes)) throw badRequest(notAnObject(changes));
  const result = strategicMerge(document, changes, message);
  const shown = () => formatGoValue(changes);
  const mismatch = findMismatch(result, message, document);
  if (mismatch !== undefined) {
    throw invalidObject({ group: "", kind: "" }, "", [invalid("patch", shown(), mismatch)]);
  }
  return { result, strict: findDuplicates(patch), shown };
}

function notAnObject(value: Json): string {
  return cannotUnmarshal(value, "Go value of type map[string]interface {}");
}

function isDeeper(value: Json, depth: number): boolean {
  if (depth < 0) return true;
  if (typeof value !== "object" || value === null) return false;
  const inner = value as { readonly [key: string]: Json };
  for (const key in inner) {
    const each = inner[key] ?? null;
    if (typeof each === "object" && isDeeper(each, depth - 1)) return true;
  }
  return false;
}
