/** Pure: the parameters of requests, as the documents describe them. */
import type { Schema } from "./schemas.ts";

export const NAMESPACE = path("namespace", "The namespace of the objects.");
export const NAME = path("name", "The name of the object.");

export const LIST_PARAMETERS: readonly Schema[] = [
  query("allowWatchBookmarks", "boolean", "Whether a watch may send BOOKMARK events."),
  query("continue", "string", "The token of the previous page, to get the next one."),
  query("fieldSelector", "string", "Only objects whose fields match."),
  query("labelSelector", "string", "Only objects whose labels match."),
  query("limit", "integer", "Return at most this many objects, with a token to continue."),
  query("resourceVersion", "string", "How recent the answer must be, or where a watch starts."),
  query("resourceVersionMatch", "string", "Whether resourceVersion is a minimum or exact."),
  query("sendInitialEvents", "boolean", "Whether a watch starts with the existing objects."),
  query("timeoutSeconds", "integer", "How long a list or a watch may take."),
  query("watch", "boolean", "Stream changes instead of listing objects."),
];

const DRY_RUN = query(
  "dryRun",
  "string",
  "With the value All, do everything except storing the result.",
);

export const WRITE_PARAMETERS: readonly Schema[] = [
  DRY_RUN,
  query("fieldManager", "string", "The name of the manager that owns the fields that are set."),
  // kubectl leaves validation to the server only if it finds this name on the patch operation.
  query(
    "fieldValidation",
    "string",
    "How unknown and duplicate fields are handled: Ignore, Warn (the default) or Strict.",
  ),
];

export const PATCH_PARAMETERS: readonly Schema[] = [
  ...WRITE_PARAMETERS,
  query("force", "boolean", "Take over fields of other managers when applying."),
];

export const DELETE_PARAMETERS: readonly Schema[] = [
  DRY_RUN,
  query(
    "gracePeriodSeconds",
    "integer",
    "How long the object may take to terminate; 0 removes it at once.",
  ),
  query("orphanDependents", "boolean", "Superseded by propagationPolicy."),
  query(
    "propagationPolicy",
    "string",
    "What happens to the objects that this one owns: Orphan, Background or Foreground.",
  ),
];

function query(name: string, type: string, description: string): Schema {
  return { name, in: "query", description, schema: { type } };
}

function path(name: string, description: string): Schema {
  return { name, in: "path", description, required: true, schema: { type: "string" } };
}
