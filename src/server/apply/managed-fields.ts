/** Pure: metadata.managedFields in its stored form and in its working form. */
import { isEqual } from "../../api/equal.ts";
import type { ManagedFieldsEntry } from "../../api/generated/meta.ts";
import type { Json } from "../../api/object.ts";
import { type FieldSet, LEAF, NO_FIELDS } from "./field-set.ts";
import { ElementError, parseElement, sortedSet } from "./path-element.ts";

/** Identifies a field manager. */
export interface ManagerName {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  /** "" for the object itself. */
  readonly subresource: string;
}

export interface Owned {
  readonly name: ManagerName;
  readonly fields: FieldSet;
  /** Absent if a manager never changed anything. */
  readonly time?: string | undefined;
  /** The stored entry, as long as it is unchanged. */
  readonly entry?: ManagedFieldsEntry;
}

/** By identity of the manager. */
export type Managed = ReadonlyMap<string, Owned>;

export const UNMANAGED: Managed = new Map();

/** The identity of an applier does not depend on the version it uses. */
export function identify({ manager, operation, apiVersion, subresource }: ManagerName): string {
  const version = operation === "Apply" ? "" : apiVersion;
  return JSON.stringify([manager, operation, version, subresource]);
}

/** The same fields with a new time. */
export function restamp(owned: Owned, time: string): Owned {
  if (owned.time === time) return owned;
  const { name, fields, entry } = owned;
  if (entry?.time === undefined) return { name, fields, time };
  return { name, fields, time, entry: { ...entry, time } };
}

/** From a stored object, whose sets are known to be well-formed. */
export function managedOf(entries: readonly ManagedFieldsEntry[] | undefined): Managed {
  if (entries === undefined || entries.length === 0) return UNMANAGED;
  const managed = new Map<string, Owned>();
  for (const entry of entries) {
    const name = nameOf(entry);
    if (name === undefined) continue;
    const fields = (entry.fieldsV1 ?? NO_FIELDS) as FieldSet;
    managed.set(identify(name), { name, fields, time: entry.time, entry });
  }
  return managed;
}

/** From a request; undefined if it is not what the server would have written. */
export function parseManaged(entries: readonly ManagedFieldsEntry[]): Managed | undefined {
  const managed = new Map<string, Owned>();
  for (const entry of entries) {
    const name = nameOf(entry);
    const fields = parseFields((entry.fieldsV1 ?? {}) as Json);
    if (name === undefined || fields === undefined || entry.fieldsType !== "FieldsV1") {
      return undefined;
    }
    managed.set(identify(name), { name, fields, time: entry.time });
  }
  return managed;
}

function nameOf(entry: ManagedFieldsEntry): ManagerName | undefined {
  const { manager = "", operation, apiVersion = "", subresource = "" } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (apiVersion === "") return undefined;
  return { manager, operation, apiVersion, subresource };
}

function parseFields(json: Json): FieldSet | undefined {
  try {
    return parseSet(json);
  } catch (error) {
    if (error instanceof ElementError) return undefined;
    throw error;
  }
}

function parseSet(json: Json): FieldSet {
  if (json === null || typeof json !== "object" || Array.isArray(json)) {
    throw new ElementError("not a set of fields");
  }
  const out: { [element: string]: FieldSet } = {};
  for (const [text, inside] of Object.entries(json)) {
    const element = text === "." ? "." : parseElement(text);
    if (element !== undefined) out[element] = element === "." ? LEAF : parseSet(inside);
  }
  return out;
}

/** Undefined if there are no managers. Unchanged entries are reused. */
export function formatManaged(managed: Managed): ManagedFieldsEntry[] | undefined {
  if (managed.size === 0) return undefined;
  return [...managed.values()].map(formatEntry).sort(compareEntries);
}

function formatEntry(owned: Owned): ManagedFieldsEntry {
  const { name, time, entry, fields } = owned;
  if (entry !== undefined) return entry;
  const { manager, operation, apiVersion, subresource } = name;
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: sortedSet(fields),
    ...(subresource === "" ? {} : { subresource }),
  };
}

/** Whether both are equal apart from their times. */
export function equalBarTimes(
  one: readonly ManagedFieldsEntry[] | undefined,
  other: readonly ManagedFieldsEntry[] | undefined,
): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.length !== other.length) return false;
  return one.every((entry, index) => isEqual({ ...entry, time: other[index]?.time }, other[index]));
}

function compareEntries(one: ManagedFieldsEntry, other: ManagedFieldsEntry): number {
  return (
    compareTexts(one.operation, other.operation) ||
    compareTexts(one.time ?? "", other.time ?? "") ||
    compareTexts(one.manager, other.manager) ||
    compareTexts(one.apiVersion, other.apiVersion) ||
    compareTexts(one.subresource, other.subresource)
  );
}

function compareTexts(one = "", other = ""): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
