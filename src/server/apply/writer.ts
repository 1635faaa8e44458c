/**
 * Composes the FieldWriter of a request: the only place that connects field ownership with kinds.
 */
import type { Json } from "../../api/object.ts";
import { customFieldSchema } from "../../api/schema/custom-field-schema.ts";
import { decodeMessage } from "../../api/schema/decode.ts";
import { type FieldSchema, fieldSchemaOf } from "../../api/schema/field-schema.ts";
import { parsed } from "../../api/schema/parsed-json.ts";
import { apiVersionOf, type Kind } from "../../kinds/kind.ts";
import { type ServerContext, timestamp } from "../context.ts";
import type { FieldWriter } from "./field-manager.ts";
import { type FilteredKind, fieldFilter } from "./reset-fields.ts";

/** The parts of a kind that field ownership needs; a Scale has these too. */
export type WrittenKind = FilteredKind &
  Pick<Kind, "group" | "version" | "kind" | "message" | "custom">;

export function fieldWriter(
  { clock }: Pick<ServerContext, "clock">,
  kind: WrittenKind,
  subresource: string,
  manager: string,
): FieldWriter {
  const apiVersion = apiVersionOf(kind);
  return {
    schema: schemaOf(kind),
    empty: emptyObject(kind),
    apiVersion,
    subresource,
    filter: fieldFilter(kind, subresource),
    isVersion: (version) => version === apiVersion || isOtherVersion(kind, version),
    manager,
    time: timestamp(clock),
  };
}

function schemaOf(kind: WrittenKind): FieldSchema {
  return kind.custom ? customFieldSchema(kind.custom.schema) : fieldSchemaOf(kind.message);
}

/** What Go prints for an empty struct. */
function emptyObject({ message, custom }: WrittenKind): Json {
  if (custom) return {};
  let empty = emptyObjects.get(message);
  if (empty === undefined) {
    empty = decodeMessage(parsed({}), message).object;
    emptyObjects.set(message, empty);
  }
  return empty;
}

const emptyObjects = new Map<string, Json>();

const EVENT_VERSIONS = ["v1", "events.k8s.io/v1"];

/** Built-in kinds have one version each, except Events, which are in two groups. */
function isOtherVersion({ kind, group, custom }: WrittenKind, version: string): boolean {
  if (custom) return version.startsWith(`${group}/`);
  return kind === "Event" && EVENT_VERSIONS.includes(version);
}
