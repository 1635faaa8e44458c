/**
 * Pure: the message tables: the facts about every field of every Kubernetes API type.
 *
 * This folder converts bytes to canonical objects and back. Reading order: tables (the facts),
 * decode (JSON to canonical objects), json-text and yaml-text (text to JSON), body (the body of a
 * request). It must not know which kinds are served, nor what makes an object valid.
 */
import { tablesJson } from "../generated/tables.ts";

export interface FieldFacts {
  /** The protobuf field number; 0 for kind and apiVersion, which protobuf keeps in the envelope. */
  readonly number: number;
  /** The JSON name; empty when the field is inlined. */
  readonly json: string;
  /** A type reference: "string", "[]T", "map[]T", "core/v1.PodSpec", "Quantity" … */
  readonly type: string;
  /** The type as Go prints it in decoding errors: "v1.PullPolicy". */
  readonly go: string;
  readonly pointer?: boolean;
  readonly omitEmpty?: boolean;
  readonly omitZero?: boolean;
  readonly inline?: boolean;
  readonly strategy?: string;
  readonly mergeKey?: string;
  readonly listType?: string;
  readonly listKeys?: readonly string[];
  readonly mapType?: string;
  /** The Go structs a flattened field was inlined from, the outermost first. */
  readonly embedded?: readonly string[];
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Message {
  readonly fields: readonly FieldFacts[];
  readonly mapType?: string;
  readonly gvk?: readonly GroupVersionKind[];
}

/** A parsed type reference. The element of a list or a map is a reference again. */
export type TypeReference =
  | { readonly kind: "list"; readonly element: string }
  | { readonly kind: "map"; readonly element: string }
  | { readonly kind: "message"; readonly name: string }
  | { readonly kind: "scalar"; readonly name: Scalar };

const SCALARS = [
  "string",
  "bool",
  "int32",
  "int64",
  "float64",
  "bytes",
  "Quantity",
  "IntOrString",
  "Time",
  "MicroTime",
  "RawExtension",
  "FieldsV1",
  "JSON",
] as const;

export type Scalar = (typeof SCALARS)[number];

/** The name of a message without its package: what Go prints as the struct's name. */
export function structName(messageName: string): string {
  return messageName.slice(messageName.lastIndexOf(".") + 1);
}

export function findMessage(name: string): Message | undefined {
  return tables().get(name);
}

export function getMessage(name: string): Message {
  const message = findMessage(name);
  if (message === undefined) throw new Error(`no message ${name} in the tables`);
  return message;
}

/** The message of a kind, if the tables contain it. */
export function findMessageOfKind(target: GroupVersionKind): string | undefined {
  return kinds().get(`${target.group}/${target.version}/${target.kind}`);
}

/** The fields as JSON sees them: by JSON name, inlined structs flattened, in declared order. */
export function jsonFields(messageName: string): ReadonlyMap<string, FieldFacts> {
  const known = flattened.get(messageName);
  if (known !== undefined) return known;
  const fields = new Map<string, FieldFacts>();
  if (hasTypeMeta(messageName)) for (const field of TYPE_META) fields.set(field.json, field);
  addFields(messageName, fields);
  flattened.set(messageName, fields);
  return fields;
}

/** Whether the Go struct embeds TypeMeta, so that kind and apiVersion are fields of its JSON. */
export function hasTypeMeta(messageName: string): boolean {
  if (messageName === "meta/v1.WatchEvent") return false;
  return getMessage(messageName).gvk !== undefined || EMBEDS_TYPE_META.has(messageName);
}

export function parseType(reference: string): TypeReference {
  if (reference.startsWith("[]")) return { kind: "list", element: reference.slice(2) };
  if (reference.startsWith("map[]")) return { kind: "map", element: reference.slice(5) };
  if (isScalar(reference)) return { kind: "scalar", name: reference };
  return { kind: "message", name: reference };
}

function isScalar(reference: string): reference is Scalar {
  return (SCALARS as readonly string[]).includes(reference);
}

const TYPE_META: readonly FieldFacts[] = ["kind", "apiVersion"].map((json) => ({
  number: 0,
  json,
  type: "string",
  go: "string",
  omitEmpty: true,
  embedded: ["TypeMeta"],
}));

/** Structs with TypeMeta that no OpenAPI document gives a kind. */
const EMBEDS_TYPE_META: ReadonlySet<string> = new Set([
  "core/v1.NodeProxyOptions",
  "core/v1.PodAttachOptions",
  "core/v1.PodExecOptions",
  "core/v1.PodLogOptions",
  "core/v1.PodPortForwardOptions",
  "core/v1.PodProxyOptions",
  "core/v1.PodStatusResult",
  "core/v1.RangeAllocation",
  "core/v1.SerializedReference",
  "core/v1.ServiceProxyOptions",
  "apiextensions/v1.ConversionReview",
  "meta/v1.APIGroup",
  "meta/v1.APIGroupList",
  "meta/v1.APIResourceList",
  "meta/v1.APIVersions",
  "meta/v1.ApplyOptions",
  "meta/v1.CreateOptions",
  "meta/v1.GetOptions",
  "meta/v1.List",
  "meta/v1.ListOptions",
  "meta/v1.PartialObjectMetadata",
  "meta/v1.PartialObjectMetadataList",
  "meta/v1.PatchOptions",
  "meta/v1.TableOptions",
  "meta/v1.UpdateOptions",
]);

const flattened = new Map<string, ReadonlyMap<string, FieldFacts>>();

function addFields(
  messageName: string,
  into: Map<string, FieldFacts>,
  embedded: readonly string[] = [],
): void {
  for (const field of getMessage(messageName).fields) {
    if (field.inline) addFields(field.type, into, [...embedded, structName(field.type)]);
    else into.set(field.json, embedded.length === 0 ? field : { ...field, embedded });
  }
}

let parsedTables: ReadonlyMap<string, Message> | undefined;
let parsedKinds: ReadonlyMap<string, string> | undefined;

function tables(): ReadonlyMap<string, Message> {
  parsedTables ??= new Map(Object.entries(JSON.parse(tablesJson) as Record<string, Message>));
  return parsedTables;
}

function kinds(): ReadonlyMap<string, string> {
  if (parsedKinds !== undefined) return parsedKinds;
  const found = new Map<string, string>();
  for (const [name, message] of tables()) {
    for (const { group, version, kind } of message.gvk ?? []) {
      // A struct may have the kind of another group; the one with the same name is used.
      if (structName(name) === kind) found.set(`${group}/${version}/${kind}`, name);
    }
  }
  parsedKinds = found;
  return found;
}
