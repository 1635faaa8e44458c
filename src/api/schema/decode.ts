/**
 * Pure: decodes JSON to the canonical form of a message: what Go's json.Marshal prints after
 * sigs.k8s.io/json has read it. Unknown and repeated fields are reported, not rejected. A value of
 * the wrong type is a DecodeError with Go's message.
 *
 * The result of a patch shares all unchanged parts with the canonical object it was applied to.
 * Such parts are taken over by reference without decoding them: the cost depends only on the
 * change, and a comparison of old and new can skip them.
 */
import type { Draft, Json, KubeObject } from "../object.ts";
import {
  type ExactJson,
  NumberLiteral,
  type ParsedJson,
  parsed,
  RepeatedKeys,
  setOwn,
} from "./parsed-json.ts";
import {
  DecodeError,
  type FieldStep,
  newReading,
  type Reading,
  reportDuplicate,
  reportUnknown,
  saveTypeError,
} from "./reading.ts";
import { type Codec, scalarCodec } from "./scalars.ts";
import { findSchemaUnion, type UnionParts } from "./schema-unions.ts";
import { type FieldFacts, getMessage, jsonFields, parseType, structName } from "./tables.ts";

export { DecodeError } from "./reading.ts";

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface Decoded<T> {
  readonly object: T;
  /** What fieldValidation=Strict rejects: `unknown field "spec.foo"`. */
  readonly strict: string[];
}

/**
 * Decodes an API object, with kind and apiVersion first; `typeMeta` overrides those of the JSON. If
 * `known` is given, the result shares parts with it, which must not be written to.
 */
export function decodeObject(
  json: ParsedJson,
  messageName: string,
  typeMeta?: TypeMeta,
  known?: KubeObject,
): Decoded<Draft<KubeObject>> {
  const { object, strict } = decodeMessage(json, messageName, known as unknown as Json);
  const whole = typeMeta === undefined ? object : withTypeMeta(object, typeMeta);
  const draft = whole as unknown as Draft<KubeObject>;
  // The server always writes to the metadata, so it must not be shared.
  if (known && draft.metadata === known.metadata) draft.metadata = { ...draft.metadata };
  if (emptiesManagedFields(json.value)) draft.metadata.managedFields = [];
  return { object: draft, strict };
}

/** An empty list of managedFields has a meaning: it resets the ownership of all fields. */
function emptiesManagedFields(value: Json): boolean {
  const { metadata } = (value ?? {}) as { metadata?: { managedFields?: Json } | null };
  return Array.isArray(metadata?.managedFields) && metadata.managedFields.length === 0;
}

/** Decodes any message of the tables: "meta/v1.DeleteOptions", "autoscaling/v1.Scale". */
export function decodeMessage(
  json: ParsedJson,
  messageName: string,
  known?: Json,
): Decoded<{ [key: string]: Json }> {
  const reading = newReading();
  const codec = messageCodec(messageName);
  const value = json.exact ?? json.value;
  const object = value === null ? codec.zero() : codec.decode(value, reading, known);
  if (reading.mistake !== undefined) throw new DecodeError(reading.mistake);
  const strict = [...(json.strict ?? []), ...reading.strict];
  return { object: object as { [key: string]: Json }, strict };
}

/** The canonical form of an object that is already a tree, such as the result of a patch. */
export function canonicalize(value: unknown, messageName: string): Draft<KubeObject> {
  return decodeObject(parsed(value as Json), messageName).object;
}

function withTypeMeta(object: { [key: string]: Json }, { kind, apiVersion }: TypeMeta): Json {
  return Object.assign({ kind, apiVersion }, object, { kind, apiVersion });
}

interface Field extends FieldStep {
  readonly index: number;
  readonly codec: Codec;
  /** Whether null clears the field; other fields ignore it. */
  readonly nullable: boolean;
  /** What is printed for a decoded value, or for none; undefined omits the field. */
  readonly print: (value: Json | undefined) => Json | undefined;
}

interface Struct {
  readonly byName: ReadonlyMap<string, Field>;
  readonly fields: readonly Field[];
}

const codecs = new Map<string, Codec>();

function messageCodec(name: string): Codec {
  const known = codecs.get(name);
  if (known !== undefined) return known;
  getMessage(name);
  let compiled: Struct | undefined;
  // Compiled on first use, because messages can contain themselves.
  const struct = () => {
    compiled ??= compileStruct(name);
    return compiled;
  };
  const codec = structCodec(struct, `v1.${structName(name)}`);
  codecs.set(name, codec);
  return codec;
}

function compileStruct(name: string): Struct {
  const fields = [...jsonFields(name).values()].map((facts, index) => ({
    index,
    json: facts.json,
    struct: structName(name),
    go: [...(facts.embedded ?? []), facts.json].join("."),
    nullable: facts.pointer === true || /^\[\]|^map\[\]|^bytes$/.test(facts.type),
    ...printedCodec(facts, name),
  }));
  return { fields, byName: new Map(fields.map((field) => [field.json, field])) };
}

function printedCodec(facts: FieldFacts, owner: string): Pick<Field, "codec" | "print"> {
  const codec = typeCodec(facts.type, facts.go);
  return { codec, print: printer(facts, codec, owner) };
}

function typeCodec(type: string, goType: string): Codec {
  const reference = parseType(type);
  switch (reference.kind) {
    case "list":
      return listCodec(typeCodec(reference.element, elementType(goType)), goType);
    case "map":
      return mapCodec(typeCodec(reference.element, elementType(goType)), goType);
    case "message":
      return messageCodec(reference.name);
    case "scalar":
      return findSchemaUnion(goType, schemaParts) ?? scalarCodec(reference.name, goType);
  }
}

function schemaParts(): UnionParts {
  const schema = messageCodec("apiextensions/v1.JSONSchemaProps");
  return { schema, schemas: listCodec(schema, "[]v1.JSONSchemaProps") };
}

/** "[]v1.Capability" contains v1.Capability; a named list or map contains strings or quantities. */
function elementType(goType: string): string {
  return /^(?:\[\]|map\[[^\]]*\])(.+)$/.exec(goType)?.[1] ?? "string";
}

function structCodec(struct: () => Struct, goType: string): Codec {
  const decode = (value: ExactJson, reading: Reading, known?: Json): Json | undefined => {
    if (value === known) return known;
    if (!isObject(value)) return saveTypeError(reading, value, goType);
    const { fields, byName } = struct();
    const slots = new Array<Json | undefined>(fields.length);
    if (value instanceof RepeatedKeys) readRepeatedFields(value, byName, slots, reading);
    else readFields(value, { byName, slots, known: childrenOf(known) }, reading);
    return print(fields, slots);
  };
  return { decode, zero: () => print(struct().fields, []) };
}

type PlainObject = { [key: string]: ExactJson };

function isObject(value: ExactJson): value is PlainObject | RepeatedKeys {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  return !(value instanceof NumberLiteral);
}

function childrenOf(known: Json | undefined): { readonly [key: string]: Json } | undefined {
  return typeof known === "object" && known !== null && !Array.isArray(known) ? known : undefined;
}

type Slots = (Json | undefined)[];

interface FieldsRead {
  readonly byName: Struct["byName"];
  readonly slots: Slots;
  readonly known: { readonly [key: string]: Json } | undefined;
}

function readFields(
  value: PlainObject,
  { byName, slots, known }: FieldsRead,
  reading: Reading,
): void {
  for (const key of Object.keys(value)) {
    const field = byName.get(key);
    const item = value[key];
    if (field === undefined) reportUnknown(reading, key);
    else if (item !== null && item !== undefined) {
      reading.path.push(field);
      slots[field.index] = field.codec.decode(item, reading, known?.[key]);
      reading.path.pop();
    }
  }
}

/** Go decodes each occurrence of a key into the result of the previous one. */
function readRepeatedFields(
  value: RepeatedKeys,
  byName: Struct["byName"],
  slots: Slots,
  reading: Reading,
): void {
  const merged = new Map<Field, ExactJson>();
  for (const [key, item] of value.entries) {
    const field = byName.get(key);
    if (field === undefined) {
      reportUnknown(reading, key);
      continue;
    }
    const before = merged.get(field);
    if (before !== undefined) reportDuplicate(reading, key);
    if (item === null && !field.nullable && before !== undefined) continue;
    merged.set(field, before === undefined ? item : mergeOccurrences(before, item));
    if (item === null) {
      slots[field.index] = undefined;
      continue;
    }
    reading.path.push(field);
    slots[field.index] = field.codec.decode(item, reading);
    if (before !== undefined && before !== null) {
      slots[field.index] = field.codec.decode(merged.get(field) ?? item, newReading());
    }
    reading.path.pop();
  }
}

function mergeOccurrences(before: ExactJson, after: ExactJson): ExactJson {
  if (!isObject(before) || !isObject(after)) return after;
  const merged = new Map<string, ExactJson>();
  for (const [key, item] of [...entriesOf(before), ...entriesOf(after)]) {
    const known = merged.get(key);
    merged.set(key, known === undefined ? item : mergeOccurrences(known, item));
  }
  const out: PlainObject = {};
  for (const [key, item] of merged) setOwn(out, key, item);
  return out;
}

function entriesOf(value: PlainObject | RepeatedKeys): readonly (readonly [string, ExactJson])[] {
  return value instanceof RepeatedKeys ? value.entries : Object.entries(value);
}

function print(fields: readonly Field[], slots: Slots): { [key: string]: Json } {
  const out: { [key: string]: Json } = {};
  for (const field of fields) {
    const value = field.print(slots[field.index]);
    if (value !== undefined) out[field.json] = value;
  }
  return out;
}

function listCodec(element: Codec, goType: string): Codec {
  const decode = (value: ExactJson, reading: Reading, known?: Json): Json | undefined => {
    if (value === known) return known;
    if (!Array.isArray(value)) return saveTypeError(reading, value, goType);
    const before = Array.isArray(known) ? known : [];
    const out: Json[] = [];
    for (const [index, item] of value.entries()) {
      reading.path.push(index);
      const decoded = item === null ? element.zero() : element.decode(item, reading, before[index]);
      out.push(decoded ?? null);
      reading.path.pop();
    }
    return out;
  };
  return { decode, zero: () => null };
}

function mapCodec(element: Codec, goType: string): Codec {
  const decode = (value: ExactJson, reading: Reading, known?: Json): Json | undefined => {
    if (value === known) return known;
    if (!isObject(value)) return saveTypeError(reading, value, goType);
    const read = (key: string, item: ExactJson): Json => {
      if (item === null) return element.zero();
      reading.path.push(key);
      const decoded = element.decode(item, reading);
      reading.path.pop();
      return decoded ?? null;
    };
    const out: { [key: string]: Json } = {};
    if (isInOrder(value)) {
      for (const key in value) setOwn(out, key, read(key, value[key] ?? null));
      return out;
    }
    const decoded = new Map<string, Json>();
    for (const [key, item] of entriesOf(value)) {
      if (decoded.has(key)) reportDuplicate(reading, key);
      decoded.set(key, read(key, item));
    }
    for (const key of [...decoded.keys()].sort()) setOwn(out, key, decoded.get(key) ?? null);
    return out;
  };
  return { decode, zero: () => null };
}

/** As most maps are that come from a program. */
function isInOrder(value: PlainObject | RepeatedKeys): value is PlainObject {
  if (value instanceof RepeatedKeys) return false;
  let before = "";
  for (const key in value) {
    if (key < before) return false;
    before = key;
  }
  return true;
}

function printer(facts: FieldFacts, codec: Codec, owner: string): Field["print"] {
  if (facts.pointer) return facts.omitEmpty ? (value) => value : (value) => value ?? null;
  const reference = parseType(facts.type);
  if (reference.kind === "list" || reference.kind === "map") return collectionPrinter(facts, owner);
  if (reference.kind === "message") return (value) => value ?? codec.zero();
  switch (reference.name) {
    case "bytes":
      return collectionPrinter(facts, owner);
    case "Time":
    case "MicroTime":
      return facts.omitZero ? (value) => value ?? undefined : (value) => value ?? null;
    case "Quantity":
    case "IntOrString":
    case "RawExtension":
    case "FieldsV1":
    case "JSON":
      return (value) => value ?? codec.zero();
    default:
      return valuePrinter(facts, codec.zero());
  }
}

function valuePrinter(facts: FieldFacts, zero: Json): Field["print"] {
  if (facts.omitEmpty) return (value) => (value === zero ? undefined : value);
  return (value) => value ?? zero;
}

/**
 * An empty list becomes null although Go would print []: Kubernetes stores objects as protobuf,
 * which has no empty lists, so this is what every client gets. Exceptions are the items of a list,
 * and fields that must never be stored empty: the error shows them as they were sent.
 */
function collectionPrinter(facts: FieldFacts, owner: string): Field["print"] {
  const isItems = facts.json === "items" && owner.endsWith("List");
  const staysEmpty = isItems || NEVER_STORED_EMPTY.has(`${owner}.${facts.json}`);
  const empty = facts.omitEmpty ? undefined : null;
  return (value) => {
    if (value === undefined || value === null) return empty;
    return isEmpty(value) && !staysEmpty ? empty : value;
  };
}

const NEVER_STORED_EMPTY: ReadonlySet<string> = new Set([
  "batch/v1.PodFailurePolicyOnExitCodesRequirement.values",
  "core/v1.PersistentVolumeSpec.capacity",
]);

function isEmpty(value: Json): boolean {
  if (value === null || value === "") return true;
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}
