/** Pure: tracks which indexes are used by pods, and which by more than one pod. */
import { addIndex, emptyIndexes, type IndexSet, removeIndex } from "../../api/index-set.ts";

export interface Places {
  readonly indexes: IndexSet;
  /** The number of pods beyond the first, by index. */
  readonly surplus: Map<number, number>;
}

export function emptyPlaces(): Places {
  return { indexes: emptyIndexes(), surplus: new Map() };
}

export function occupy({ indexes, surplus }: Places, index: number): void {
  if (!addIndex(indexes, index)) surplus.set(index, (surplus.get(index) ?? 0) + 1);
}

export function vacate({ indexes, surplus }: Places, index: number): void {
  const above = surplus.get(index);
  if (above === undefined) removeIndex(indexes, index);
  else if (above === 1) surplus.delete(index);
  else surplus.set(index, above - 1);
}
