/**
 * Server-side apply: a manager sends the fields it wants to set, and owns them. The object is
 * created if it does not exist. Fields that the manager applied before and no longer sends are
 * removed.
 */
import { isEqual } from "../../api/equal.ts";
import { type ApiError, badRequest, conflict, notFound } from "../../api/errors.ts";
import type { Draft, Json, KubeObject } from "../../api/object.ts";
import { type Decoded, DecodeError, decodeObject } from "../../api/schema/decode.ts";
import { parsed } from "../../api/schema/parsed-json.ts";
import {
  type ParsedYaml,
  parseYaml,
  type ReadYaml,
  takeYaml,
  YamlError,
} from "../../api/schema/yaml-text.ts";
import { apiVersionOf, type Kind } from "../../kinds/kind.ts";
import { applyConfiguration, type Entries, type FieldWriter } from "../apply/field-manager.ts";
import { KUBECTL, renewLastApplied } from "../apply/last-applied.ts";
import { equalBarTimes } from "../apply/managed-fields.ts";
import { fieldWriter } from "../apply/writer.ts";
import {
  fromStored,
  groupResource,
  keyOf,
  partsOf,
  type ServerContext,
  type WriteOptions,
} from "../context.ts";
import { create, matchNamespace } from "./create.ts";
import { dropRepeatedOwners } from "./owner-references.ts";
import { matchName, replace, type Updated, type UpdateTarget } from "./update.ts";

export interface ApplyOptions extends WriteOptions {
  readonly manager: string;
  /** Takes over fields of other managers. */
  readonly force: boolean;
}

export function apply(
  server: ServerContext,
  target: UpdateTarget,
  body: Configuration,
  options: ApplyOptions,
  /** Called with duplicate keys before anything is written; may throw to reject them. */
  judge: (repeatedKeys: readonly string[]) => void,
): Updated {
  const { kind, namespace, name, part } = target;
  const stored = server.store.get(keyOf(kind, namespace, name));
  if (!stored && part !== "object") throw notFound(groupResource(kind), name);
  const current = stored && fromStored(kind, stored);
  const { value: config, repeatedKeys } = readConfiguration(body);
  refuseOtherKind(kind, config);
  refuseManagedFields(config);
  const writer = fieldWriter(server, kind, part === "object" ? "" : part, options.manager);
  const { object, managedFields } = applyConfiguration(writer, current, config, options.force);
  const next = decodeNext(server, kind, { writer, current, config, object });
  judge(repeatedKeys);
  if (!current && next.metadata.uid !== undefined) throw missing(target, next.metadata.uid);
  matchNamespace(kind.namespaced, namespace, next);
  matchName(next, name);
  const repeated = dropRepeatedOwners(next, "patched");
  if (current) {
    const owners = { managedFields: ownersOf(current, next, managedFields) };
    const written = replace(server, target, current, next, options, owners);
    return { ...written, warnings: [...repeated, ...written.warnings], created: false };
  }
  delete next.metadata.resourceVersion;
  const made = create(server, kind, namespace, next, options, { managedFields });
  return { ...made, warnings: [...repeated, ...made.warnings], created: true };
}

/** If only the notation of values differs, such as 0.5 for 500m, the managers stay unchanged. */
function ownersOf(
  { metadata, ...object }: KubeObject,
  next: Draft<KubeObject>,
  managedFields: Entries | undefined,
): Entries | undefined {
  const before = metadata.managedFields;
  if (managedFields === before || !equalBarTimes(managedFields, before)) return managedFields;
  const { managedFields: _, ...ours } = next.metadata;
  const { managedFields: __, ...theirs } = metadata;
  const isSame = isEqual({ ...next, metadata: ours }, { ...object, metadata: theirs });
  return isSame ? before : managedFields;
}

/** YAML text, or the result if it was already parsed. */
export type Configuration = string | ReadYaml;

export function readConfiguration(body: Configuration): ParsedYaml {
  try {
    const read = typeof body === "string" ? parseYaml(body) : takeYaml(body);
    if (read.value === null) return { ...read, value: {} };
    if (typeof read.value === "object" && !Array.isArray(read.value)) return read;
    const found = Array.isArray(read.value) ? "array" : typeof read.value;
    const problem = `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`,
    );
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

export function refuseOtherKind(
  kind: Pick<Kind, "group" | "version" | "kind">,
  config: Json,
): void {
  const { apiVersion, kind: given } = config as { apiVersion?: Json; kind?: Json };
  const [version, name] = [textOf(apiVersion), textOf(given)];
  if (version === apiVersionOf(kind) && name === kind.kind) return;
  const parts = version.split("/");
  const shown = parts.length === 1 ? `/${version}` : parts.length === 2 ? version : "/";
  throw badRequest(`invalid object type: ${shown}, Kind=${name}`);
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function refuseManagedFields(config: Json): void {
  const { metadata } = config as { metadata?: { managedFields?: Json } | null };
  if (Array.isArray(metadata?.managedFields)) {
    throw badRequest("metadata.managedFields must be nil");
  }
}

interface Outcome {
  readonly writer: FieldWriter;
  readonly current: KubeObject | undefined;
  readonly config: Json;
  /** Undefined if nothing changed. */
  readonly object: Json | undefined;
}

/** The complete next object, in which kubectl's last-applied annotation is updated. */
function decodeNext(server: ServerContext, kind: Kind, outcome: Outcome): Draft<KubeObject> {
  const { writer, current, config } = outcome;
  const object = outcome.object ?? (current as unknown as Json | undefined) ?? writer.empty;
  const known = partsOf(kind, current);
  const next = decoded(kind, object, known).object;
  kind.rules.setDefaults?.(next, server.gates, known);
  if (writer.manager !== KUBECTL) return next;
  const annotations = renewLastApplied(next.metadata.annotations, config);
  if (annotations !== undefined) next.metadata.annotations = annotations;
  return next;
}

function decoded(
  kind: Kind,
  object: Json,
  known: KubeObject | undefined,
): Decoded<Draft<KubeObject>> {
  const typeMeta = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  try {
    if (kind.custom) return kind.custom.decode(parsed({ ...(object as object), ...typeMeta }));
    return decodeObject(parsed(object), kind.message, typeMeta, known);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`failed to convert new object to proper version: ${error.message}`);
  }
}

function missing({ kind, name }: UpdateTarget, uid: string): ApiError {
  const problem = `the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(groupResource(kind), name, `uid mismatch: ${problem}`);
}
