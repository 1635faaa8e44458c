/** Pure: which indexes of former Jobs the items of a Job had, out of the list it has stored. */
import type { Job } from "../generated/batch.ts";
import { type FormerIndex, formerIndexes } from "./item-history.ts";
import { type FindListObject, listObjectName } from "./items.ts";
import { type Chunk, chunkAt, openChunk, parseHeader } from "./stored-list.ts";

/** Oldest first; empty for an item that is new. */
export type FormerIndexesAt = (index: number) => readonly FormerIndex[];

/** Undefined for a Job whose list has no past. */
export function openPast(job: Job, find: FindListObject): FormerIndexesAt | undefined {
  const nameAt = listObjectName(job);
  const first = nameAt && find(nameAt(0));
  const parsed = first && parseHeader(first);
  if (!nameAt || !first || !parsed || "problem" in parsed) return undefined;
  const { header } = parsed;
  const { jobs } = header;
  if (jobs.length === 0) return undefined;
  // Indexes are mostly asked for in their order: one object at a time is enough.
  let open: { readonly at: number; readonly chunk: Chunk | undefined } | undefined;
  return (index) => {
    const at = chunkAt(header, index);
    if (open?.at !== at) {
      const object = at === 0 ? first : find(nameAt(at));
      open = { at, chunk: object && openChunk(header, at, object) };
    }
    return formerIndexes({ jobs, ranges: open.chunk?.ranges ?? [] }, index);
  };
}
