/** Pure: limits how many updaters an object records: the oldest ones are merged into one entry. */
import { type FieldSet, NO_FIELDS, unionAll } from "./field-set.ts";
import { identify, type Managed, type Owned } from "./managed-fields.ts";

const MAX_UPDATERS = 10;
const ANCIENT = "ancient-changes";

/** The work is proportional to the size of all sets together, however many managers there are. */
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

/** One per version: the first two updaters of a version create it, later ones are added. */
interface Bucket {
  readonly first: string;
  /** Joined once at the end: joining one by one would copy the growing set each time. */
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
