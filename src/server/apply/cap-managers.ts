/** Pure: how many updaters an object remembers: who the oldest ones were is forgotten. */
import { union } from "./field-set.ts";
import { identify, type Managed, type Owned } from "./managed-fields.ts";

const MAX_UPDATERS = 10;
const ANCIENT = "ancient-changes";

export function capManagers(managed: Managed): Managed {
  const updaters = [...managed].filter(([, { name }]) => name.operation === "Update");
  if (updaters.length <= MAX_UPDATERS) return managed;
  updaters.sort(([oneId, one], [otherId, other]) => {
    const [mine, theirs] = [one.time ?? "", other.time ?? ""];
    if (mine !== theirs) return mine < theirs ? -1 : 1;
    return oneId < otherId ? -1 : 1;
  });
  const left = new Map(managed);
  const firstOfVersion = new Map<string, string>();
  for (const [id, owned] of updaters) {
    if (countUpdaters(left) <= MAX_UPDATERS) break;
    const { apiVersion } = owned.name;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) firstOfVersion.set(apiVersion, id);
    else mergeInto(left, first, id, owned);
  }
  return left;
}

function countUpdaters(managed: Managed): number {
  let count = 0;
  for (const { name } of managed.values()) if (name.operation === "Update") count++;
  return count;
}

/** One bucket for each version: the first two of a version make it, later ones go in. */
function mergeInto(left: Map<string, Owned>, first: string, id: string, owned: Owned): void {
  const { apiVersion } = owned.name;
  const name = { manager: ANCIENT, operation: "Update", apiVersion, subresource: "" } as const;
  const bucket = identify(name);
  if (!left.has(bucket)) {
    const oldest = left.get(first);
    if (oldest !== undefined) left.set(bucket, oldest);
    left.delete(first);
  }
  left.delete(id);
  const fields = union(owned.fields, left.get(bucket)?.fields ?? {});
  left.set(bucket, { name, fields, time: owned.time });
}
