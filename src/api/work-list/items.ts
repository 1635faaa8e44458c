/** Pure: what the indexes of a Job work on, out of the list it has stored. */
import type { Job } from "../generated/batch.ts";
import { WORK_LIST } from "./names.ts";
import {
  type Chunk,
  chunkAt,
  chunkName,
  type ListHeader,
  type ListObject,
  openChunk,
  parseHeader,
} from "./stored-list.ts";
import { itemCount, itemName, type Values, valuesAt, type WorkList } from "./work-list.ts";

export interface Items {
  /** Empty without a list, and for one that is kept secret. */
  readonly parameters: readonly string[];
  /** In the order of the parameters; undefined where nothing is known of the index. */
  valuesAt(index: number): Values | undefined;
  /** How the item is called. */
  nameAt(index: number): string | undefined;
  /** The indexes of an item, by its name or by its value: a list may have it more than once. */
  find(item: string): readonly number[];
  /** Of all items, in the order of the list. */
  names(): Iterable<string>;
}

export interface ListObjectName {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
}

export type FindListObject = (name: ListObjectName) => ListObject | undefined;

/** The objects of the Job's list, by their number; undefined for a Job without a list. */
export function listObjectName({
  metadata,
}: Pick<Job, "metadata">): ((at: number) => ListObjectName) | undefined {
  const named = metadata.annotations?.[WORK_LIST];
  if (named === undefined) return undefined;
  const isSecret = named.startsWith(SECRET_PREFIX);
  const kind = isSecret ? "Secret" : "ConfigMap";
  const name = isSecret ? named.slice(SECRET_PREFIX.length) : named;
  return (at) => ({ kind, name: chunkName(name, at) });
}

const SECRET_PREFIX = "secret/";

export function openItems(job: Job, find: FindListObject): Items {
  const nameAt = listObjectName(job);
  // Secret values do not belong into a table of results.
  if (nameAt?.(0).kind !== "ConfigMap") return NO_ITEMS;
  const read = (at: number) => find(nameAt(at));
  const first = read(0);
  const parsed = first && parseHeader(first);
  if (!first || !parsed || "problem" in parsed) return NO_ITEMS;
  return new StoredItems(parsed.header, (at) => (at === 0 ? first : read(at)));
}

/** Of a list that is at hand as a whole. */
export function itemsOfList(list: WorkList): Items {
  const count = itemCount(list);
  const nameAt = (index: number) =>
    index < count ? itemName(list, valuesAt(list, index)) : undefined;
  return {
    parameters: list.parameters,
    valuesAt: (index) => (index < count ? valuesAt(list, index) : undefined),
    nameAt,
    find: (item) => {
      const isItem = (index: number) =>
        (list.columns.length === 1 && list.columns[0]?.[index] === item) || nameAt(index) === item;
      return Array.from({ length: count }, (_, index) => index).filter(isItem);
    },
    names: () => Array.from({ length: count }, (_, index) => nameAt(index) ?? ""),
  };
}

export const NO_ITEMS: Items = {
  parameters: [],
  valuesAt: () => undefined,
  nameAt: () => undefined,
  find: () => [],
  names: () => [],
};

class StoredItems implements Items {
  /** Indexes are mostly asked for in their order: one object at a time is enough. */
  #chunk: { readonly at: number; readonly chunk: Chunk | undefined } | undefined;

  constructor(
    private readonly header: ListHeader,
    private readonly read: (at: number) => ListObject | undefined,
  ) {}

  get parameters(): readonly string[] {
    return this.header.parameters;
  }

  valuesAt(index: number): Values | undefined {
    if (index >= this.header.items) return undefined;
    const at = chunkAt(this.header, index);
    if (this.#chunk?.at !== at) {
      const object = this.read(at);
      this.#chunk = { at, chunk: object && openChunk(this.header, at, object) };
    }
    return this.#chunk.chunk?.valuesAt(index);
  }

  nameAt(index: number): string | undefined {
    const values = this.valuesAt(index);
    return values && itemName(this.header, values);
  }

  find(item: string): readonly number[] {
    const found: number[] = [];
    for (let index = 0; index < this.header.items; index++) {
      const values = this.valuesAt(index);
      if (!values) continue;
      const isItem = values.length === 1 ? values[0] === item : false;
      if (isItem || itemName(this.header, values) === item) found.push(index);
    }
    return found;
  }

  *names(): Generator<string> {
    for (let index = 0; index < this.header.items; index++) {
      const name = this.nameAt(index);
      if (name !== undefined) yield name;
    }
  }
}
