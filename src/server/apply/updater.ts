/**
 * Pure: the managers after a write. The steps are those of Kubernetes' structured merge: an update
 * owns the fields it changed, an apply owns the fields it contains.
 */
import type { Json } from "../../api/object.ts";
import type { FieldSchema } from "../../api/schema/field-schema.ts";
import { type Comparison, compare } from "./compare.ts";
import { ApplyConflicts, type Conflict } from "./conflicts.ts";
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  NO_FIELDS,
  setOfPath,
  union,
} from "./field-set.ts";
import { identify, type Managed, type ManagerName, type Owned, restamp } from "./managed-fields.ts";
import { mergeValues } from "./merge-values.ts";
import { withNamedFields } from "./named-fields.ts";
import { removeFields } from "./remove-fields.ts";
import { toFieldSet } from "./to-field-set.ts";
import { equalValues } from "./value.ts";

export interface Ownership {
  readonly schema: FieldSchema;
  /** The manager of the request, with the version of the objects. */
  readonly manager: ManagerName;
  /** Removes the fields that a request on this subresource does not write. */
  readonly filter: (fields: FieldSet) => FieldSet;
  /** Whether the kind has this version; managers of unknown versions are dropped. */
  readonly isVersion: (apiVersion: string) => boolean;
  readonly time: string;
}

export function ownUpdate(ownership: Ownership, live: Json, next: Json, managed: Managed): Managed {
  const { schema, manager, filter, time } = ownership;
  const changes = compare(schema, live, next);
  const id = identify(manager);
  const known = knownOnly(ownership, managed);
  const owners = new Map(yieldFields(ownership, known, changes, { updates: id }).managed);
  const changed = filter(union(changes.modified, changes.added));
  const taken = difference(changed, SERVER_FIELDS);
  if (isEmptySet(taken)) return owners;
  const before = owners.get(id);
  const fields = union(before?.fields ?? NO_FIELDS, taken);
  const isKnown = before !== undefined && fields === before.fields;
  owners.set(id, isKnown ? restamp(before, time) : { name: manager, fields, time });
  return owners;
}

export interface Applied {
  /** Undefined if the object does not change. */
  readonly object: Json | undefined;
  readonly managed: Managed;
}

/** Throws ApplyConflicts unless `force` is set. */
export function ownApply(
  ownership: Ownership,
  live: Json,
  config: Json,
  managed: Managed,
  force: boolean,
): Applied {
  const { schema, manager, filter, time } = ownership;
  const id = identify(manager);
  const known = knownOnly(ownership, managed);
  const before = known.get(id);
  const fields = filter(toFieldSet(schema, config));
  const claimed = new Map(known).set(id, { name: manager, fields, time: before?.time });
  const merged = mergeValues(schema, live, config) ?? null;
  const object = prune(ownership, merged, claimed, before?.fields);
  const changes = compare(schema, live, object);
  const { managed: left, conflicts } = yieldFields(ownership, claimed, changes, {
    applies: id,
  });
  if (!force && conflicts.length > 0) throw new ApplyConflicts(conflicts);
  const isSame = equalValues(live, object);
  const owned = difference(fields, SERVER_FIELDS);
  const owners = new Map(left);
  if (isEmptySet(owned)) owners.delete(id);
  else owners.set(id, { name: manager, fields: owned, time: isSame ? before?.time : time });
  return { object: isSame ? undefined : object, managed: owners };
}

/** Fields that only the server writes, and that nobody owns. */
const SERVER_FIELDS: FieldSet = [
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((field) => ["f:metadata", `f:${field}`]),
].reduce((all, path) => union(all, setOfPath(path)), NO_FIELDS);

function knownOnly({ isVersion }: Ownership, managed: Managed): Managed {
  for (const { name } of managed.values()) {
    if (isVersion(name.apiVersion)) continue;
    return new Map([...managed].filter(([, owned]) => isVersion(owned.name.apiVersion)));
  }
  return managed;
}

interface Yielded {
  readonly managed: Managed;
  /** The fields that other managers lost. */
  readonly conflicts: readonly Conflict[];
}

/** The writing manager: an applier owns what it sends, an updater keeps fields it changes again. */
type Writer = { readonly applies: string } | { readonly updates: string };

/**
 * Removes changed or deleted fields from all managers but the writer. Managers of other versions
 * are left unchanged.
 */
function yieldFields(
  { manager, filter }: Ownership,
  managed: Managed,
  { added, modified, removed }: Comparison,
  writer: Writer,
): Yielded {
  const [exempt, self] = "applies" in writer ? [writer.applies] : [undefined, writer.updates];
  const changed = filter(union(modified, added));
  const gone = filter(removed);
  if (isEmptySet(changed) && isEmptySet(gone)) return { managed, conflicts: [] };
  const conflicts: Conflict[] = [];
  const left = new Map<string, Owned>();
  for (const [id, owned] of managed) {
    if (id === exempt || owned.name.apiVersion !== manager.apiVersion) {
      left.set(id, owned);
      continue;
    }
    const conflict = id === self ? NO_FIELDS : intersection(owned.fields, changed);
    if (!isEmptySet(conflict)) conflicts.push({ manager: owned.name, fields: conflict });
    const fields = difference(difference(owned.fields, conflict), gone);
    if (fields === owned.fields) left.set(id, owned);
    else if (!isEmptySet(fields)) left.set(id, { name: owned.name, fields, time: owned.time });
  }
  return { managed: left, conflicts: conflicts.sort(byManager) };
}

function byManager(one: Conflict, other: Conflict): number {
  return identify(one.manager) < identify(other.manager) ? -1 : 1;
}

/**
 * Removes the fields that the manager applied last time, does not apply any more, and that nobody
 * else owns. Fields below a removed field that have no owner stay.
 */
function prune(
  { schema, manager }: Ownership,
  merged: Json,
  managed: Managed,
  last: FieldSet | undefined,
): Json {
  if (last === undefined || isEmptySet(last)) return merged;
  const named = (set: FieldSet) => withNamedFields(schema, set);
  const before = named(last);
  const all = named(toFieldSet(schema, merged));
  const setOf = (value: Json) => {
    return value === merged ? all : named(toFieldSet(schema, value));
  };
  const owned = [...managed.values()]
    .filter(({ name }) => name.apiVersion === manager.apiVersion)
    .reduce((sum, { fields }) => union(sum, fields), NO_FIELDS);
  const without = removeFields(schema, merged, before);
  const kept = union(setOf(without), named(owned));
  const orphaned = difference(all, kept);
  // As when a client applies what it has applied before.
  if (isEmptySet(orphaned)) return merged;
  const pruned = removeFields(schema, merged, orphaned);
  const dropped = intersection(difference(all, setOf(pruned)), before);
  return removeFields(schema, merged, dropped);
}
