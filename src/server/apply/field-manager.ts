/**
 * Pure: ownership of the fields of an object: the managedFields after a write, and the object that
 * results from a server-side apply.
 *
 * Reading order: this file, updater (what a write owns and an apply takes or removes), compare,
 * to-field-set, merge-values and remove-fields (the four walks along a schema), field-set and
 * path-element (sets of paths), managed-fields (the stored form), conflicts, last-applied,
 * cap-managers, reset-fields. The schema of a type is an argument; nothing here knows about the
 * store or requests.
 */
import { type ApiError, badRequest } from "../../api/errors.ts";
import type { ManagedFieldsEntry } from "../../api/generated/meta.ts";
import type { Json, KubeObject } from "../../api/object.ts";
import type { FieldSchema } from "../../api/schema/field-schema.ts";
import { capManagers } from "./cap-managers.ts";
import { ApplyConflicts, conflictError, conflictingFields, withoutFields } from "./conflicts.ts";
import { difference, type FieldSet, isEmptySet } from "./field-set.ts";
import { findMismatches, formatMismatches } from "./find-mismatches.ts";
import { fieldsLastApplied, KUBECTL } from "./last-applied.ts";
import {
  formatManaged,
  type Managed,
  type ManagerName,
  managedOf,
  parseManaged,
  UNMANAGED,
} from "./managed-fields.ts";
import { ElementError } from "./path-element.ts";
import { type Applied, type Ownership, ownApply, ownUpdate } from "./updater.ts";

/** The written kind, and the writing manager. */
export interface FieldWriter {
  readonly schema: FieldSchema;
  /** An empty object of the kind, with which a create is compared. */
  readonly empty: Json;
  readonly apiVersion: string;
  /** "" for the object itself. */
  readonly subresource: string;
  readonly filter: (fields: FieldSet) => FieldSet;
  readonly isVersion: (apiVersion: string) => boolean;
  readonly manager: string;
  readonly time: string;
}

export type Entries = readonly ManagedFieldsEntry[];

/**
 * The managedFields of an object after any update, including a create, for which `live` is
 * undefined. `sent` is the managedFields in the request; undefined if it has none.
 */
export function trackUpdate(
  writer: FieldWriter,
  live: KubeObject | undefined,
  next: KubeObject,
  sent: Entries | undefined,
): Entries | undefined {
  const stored = live?.metadata.managedFields;
  const managed = startingPoint(writer, stored, sent);
  // The object was never applied, and a request has reset its managedFields: record nothing.
  if (managed.size === 0 && live !== undefined) return undefined;
  const before = live === undefined ? writer.empty : (live as unknown as Json);
  const owners = updated(writer, before, next as unknown as Json, managed);
  return unchanged(stored, formatManaged(owners));
}

/** How many entries a request may send, because each is compared with the whole object. */
const MOST_SENT = 1_000;

function startingPoint(
  { subresource }: FieldWriter,
  stored: Entries | undefined,
  sent: Entries | undefined,
): Managed {
  if (sent === stored || sent === undefined || subresource !== "") return managedOf(stored);
  if (isReset(sent)) return UNMANAGED;
  // Treated like invalid entries: the object keeps its current managers.
  if (sent.length > MOST_SENT) return managedOf(stored);
  const parsed = parseManaged(sent);
  if (parsed === undefined) return managedOf(stored);
  const owners = [...parsed].filter(([, { fields }]) => !isEmptySet(fields));
  return owners.length === 0 ? managedOf(stored) : new Map(owners);
}

/** An empty list, or one with an empty entry, which every kind of write can send. */
function isReset(sent: Entries): boolean {
  return sent.length === 0 || (sent.length === 1 && Object.keys(sent[0] ?? {}).length === 0);
}

function updated(writer: FieldWriter, live: Json, next: Json, managed: Managed): Managed {
  try {
    return capManagers(ownUpdate(ownershipOf(writer, "Update"), live, next, managed));
  } catch (error) {
    // The items of a list lack their keys: the write succeeds, but no manager owns it.
    if (error instanceof ElementError) return managed;
    throw error;
  }
}

/** If only references are new but the contents are the same, the stored entries are kept. */
function unchanged(stored: Entries | undefined, next: Entries | undefined): Entries | undefined {
  if (stored === undefined || next === undefined || stored.length !== next.length) return next;
  return next.every((entry, index) => entry === stored[index]) ? stored : next;
}

function ownershipOf(writer: FieldWriter, operation: ManagerName["operation"]): Ownership {
  const { schema, filter, isVersion, time, apiVersion, subresource } = writer;
  const manager = writer.manager === "" ? UNKNOWN : writer.manager;
  return {
    schema,
    filter,
    isVersion,
    time,
    manager: { manager, operation, apiVersion, subresource },
  };
}

const UNKNOWN = "unknown";

/** The manager of an object that was not tracked before its first apply. */
const BEFORE_FIRST_APPLY = "before-first-apply";

export interface AppliedObject {
  /** Undefined if nothing but the managedFields changes. */
  readonly object: Json | undefined;
  readonly managedFields: Entries | undefined;
}

/** Throws an ApiError: 409 with every conflict as a cause, 400 if the configuration is invalid. */
export function applyConfiguration(
  writer: FieldWriter,
  live: KubeObject | undefined,
  config: Json,
  force: boolean,
): AppliedObject {
  const mismatches = findMismatches(writer.schema, config);
  if (mismatches.length > 0) throw untyped(config, mismatches);
  const before = live === undefined ? writer.empty : (live as unknown as Json);
  const stored = live?.metadata.managedFields;
  const managed = managedBefore(writer, before, managedOf(stored));
  const { object, managed: owners } = applied(writer, before, config, managed, force);
  return { object, managedFields: unchanged(stored, formatManaged(capManagers(owners))) };
}

function managedBefore(writer: FieldWriter, live: Json, managed: Managed): Managed {
  if (managed.size > 0) return managed;
  return updated({ ...writer, manager: BEFORE_FIRST_APPLY }, writer.empty, live, managed);
}

/** Fields that kubectl itself applied client-side before do not count as conflicts. */
function applied(
  writer: FieldWriter,
  live: Json,
  config: Json,
  managed: Managed,
  force: boolean,
): Applied {
  const ownership = ownershipOf(writer, "Apply");
  try {
    return ownApply(ownership, live, config, managed, force);
  } catch (error) {
    if (error instanceof ElementError) throw badRequest(error.message);
    if (!(error instanceof ApplyConflicts)) throw error;
    const { conflicts } = error;
    if (writer.manager !== KUBECTL) throw conflictError(conflicts);
    const allowed = fieldsLastApplied(writer.schema, live, writer.apiVersion);
    if (allowed === undefined) throw conflictError(conflicts);
    if (isEmptySet(difference(conflictingFields(conflicts), allowed))) {
      return ownApply(ownership, live, config, managed, true);
    }
    throw conflictError(withoutFields(conflicts, allowed));
  }
}

interface Named {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly namespace?: string; readonly name?: string };
}

function untyped(config: Json, mismatches: readonly string[]): ApiError {
  const { apiVersion = "", kind = "", metadata } = config as Named;
  const { namespace = "", name = "" } = metadata ?? {};
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  const what = `${namespace}/${name}; ${version}, Kind=${kind}`;
  const problem = formatMismatches(mismatches);
  return badRequest(`failed to create typed patch object (${what}): ${problem}`);
}
