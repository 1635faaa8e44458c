/** Pure: how many updaters an object remembers: who the oldest ones were is forgotten. */
import { type FieldSet, NO_FIELDS, unionAll } from "./field-set.ts";
import { identify, type Managed, type Owned } from "./managed-fields.ts";

const MAX_UPDATERS = 10;
const ANCIENT = "ancient-changes";

/** Work in proportion to what is written in all sets together, however many managers there are. */
export function capManagers(managed: Managed): Managed {
  const updaters = [...managed].filter(([, { name }]) => name.operation === "Update");
  if (updaters.length <= MAX_UPDATERS) return managed;
  updaters.sort(([oneId, one], [otherId, other]) => {
    const [mine, theirs] = [one.time ?? "", other.time ?? ""];
    if (mine !== theirs) return mine < theirs ? -1 : 1;
    return oneId < otherId ? -1 : 1;
  });
  const left = new Map(managed);
  const buckets = new Map<string, Bucket>();
  for (const [id, owned] of updaters) {
    const others = managed.size - updaters.length;
    if (left.size - others <= MAX_UPDATERS) break;
    const { apiVersion } = owned.name;
    const bucket = buckets.get(apiVersion);
    if (bucket) mergeInto(left, bucket, id, owned);
    else buckets.set(apiVersion, { first: id, sets: [] });
  }
  for (const { id, sets } of buckets.values()) {
    const owned = id === undefined ? undefined : left.get(id);
    if (id !== undefined && owned) left.set(id, { ...owned, fields: unionAll(sets) });
  }
  return left;
}

/** One for each version: the first two of a version make it, later ones go in. */
interface Bucket {
  readonly first: string;
  /** Joined at the end: one after the other would copy what is there for each that is added. */
  readonly sets: FieldSet[];
  id?: string;
}

function mergeInto(left: Map<string, Owned>, bucket: Bucket, id: string, owned: Owned): void {
  const { apiVersion } = owned.name;
  const name = { manager: ANCIENT, operation: "Update", apiVersion, subresource: "" } as const;
  const bucketId = identify(name);
  if (bucket.id === undefined) {
    bucket.id = bucketId;
    const before = left.get(bucketId);
    if (before) bucket.sets.push(before.fields);
    else {
      const first = left.get(bucket.first);
      if (first) bucket.sets.push(first.fields);
      left.delete(bucket.first);
    }
  }
  left.delete(id);
  bucket.sets.push(owned.fields);
  left.set(bucketId, { name, fields: NO_FIELDS, time: owned.time });
}
