/** Pure: the parameters of requests, as the documents describe them. */
import type { Schema } from "./schemas.ts";

export const NAMESPACE = path("namespace", "The namespace of the objects.");
export const NAME = path("name", "The name of the object.");

export const LIST_PARAMETERS: readonly Schema[] = [
  query("allowWatchBookmarks", "boolean", "Whether a watch may send BOOKMARK events."),
  query("continue", "string", "The token of the page before, to get the next one."),
  query("fieldSelector", "string", "Only objects whose fields match."),
  query("labelSelector", "string", "Only objects whose labels match."),
  query("limit", "integer", "At most this many objects; a token to continue comes with the rest."),
  query("resourceVersion", "string", "How recent the answer must be, or where a watch begins."),
  query("resourceVersionMatch", "string", "Whether resourceVersion is a minimum or exact."),
  query("sendInitialEvents", "boolean", "Whether a watch begins with the objects there are."),
  query("timeoutSeconds", "integer", "How long a list or a watch may take."),
  query("watch", "boolean", "Stream changes instead of listing objects."),
];

const DRY_RUN = query(
  "dryRun",
  "string",
  "With the value All, do everything but store the result.",
);

export const WRITE_PARAMETERS: readonly Schema[] = [
  DRY_RUN,
  query("fieldManager", "string", "Who makes the change: the owner of the fields it sets."),
  // kubectl leaves validation to the server only if it finds this name on the patch operation.
  query(
    "fieldValidation",
    "string",
    "What unknown and repeated fields lead to: Ignore them, Warn (the default) or Strict.",
  ),
];

export const PATCH_PARAMETERS: readonly Schema[] = [
  ...WRITE_PARAMETERS,
  query("force", "boolean", "Take fields over from other managers when applying."),
];

export const DELETE_PARAMETERS: readonly Schema[] = [
  DRY_RUN,
  query("gracePeriodSeconds", "integer", "How long the object is given to end; 0 is at once."),
  query("orphanDependents", "boolean", "Superseded by propagationPolicy."),
  query(
    "propagationPolicy",
    "string",
    "What becomes of the objects this one owns: Orphan, Background or Foreground.",
  ),
];

function query(name: string, type: string, description: string): Schema {
  return { name, in: "query", description, schema: { type } };
}

function path(name: string, description: string): Schema {
  return { name, in: "path", description, required: true, schema: { type: "string" } };
}
