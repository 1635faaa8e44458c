/** The newest state of one resource and the indexes over it. */
import type { KubeObject } from "../api/object.ts";
import {
  namespacePrefix,
  OrderedObjects,
  orderKey,
  type Page,
  type PageQuery,
  type Position,
} from "./ordered-objects.ts";
import { entriesWithPrefix, type SortedTree, sortedTree } from "./sorted-tree.ts";
import type { Change, IndexDefinitions, IndexLookup } from "./types.ts";

type IndexFunctions = IndexDefinitions[string];

export class Collection {
  /** The revision of the last change here. A list at an earlier revision needs the history. */
  changedAt: number;
  readonly objects = new OrderedObjects();
  readonly #indexFunctions: IndexFunctions;
  readonly #indexes: ReadonlyMap<string, Index>;

  constructor(indexFunctions: IndexFunctions, changedAt: number) {
    this.changedAt = changedAt;
    this.#indexFunctions = indexFunctions;
    const names = Object.keys(indexFunctions);
    this.#indexes = new Map(names.map((name) => [name, sortedTree<string>()]));
  }

  put(position: Position, object: KubeObject, previous: KubeObject | undefined): void {
    this.objects.put(position, object);
    this.#reindex(position, previous, object);
  }

  apply({ key, type, object, previous, revision }: Change): void {
    if (type === "DELETED") {
      this.objects.delete(key);
      this.#reindex(key, previous, undefined);
    } else {
      this.put(key, object, previous);
    }
    this.changedAt = revision;
  }

  page(query: PageQuery, lookup: IndexLookup | undefined): Page {
    return this.objects.page(query, lookup && this.#find(lookup, query));
  }

  /** The index lookup as a filter, for past states, which have no index. */
  matcher({ index, value }: IndexLookup): (object: KubeObject) => boolean {
    const values = this.#indexFunctions[index];
    if (!values) throw unknownIndex(index);
    return (object) => values(object).includes(value);
  }

  *#find({ index, value }: IndexLookup, query: PageQuery): Generator<[string, KubeObject]> {
    const tree = this.#indexes.get(index);
    if (!tree) throw unknownIndex(index);
    const prefix = indexKey(value, namespacePrefix(query.namespace));
    const after = query.after && indexKey(value, orderKey(query.after));
    for (const [, key] of entriesWithPrefix(tree, prefix, after)) {
      const object = this.objects.getByOrderKey(key);
      if (object) yield [key, object];
    }
  }

  #reindex(position: Position, previous?: KubeObject, next?: KubeObject): void {
    if (this.#indexes.size === 0) return;
    const key = orderKey(position);
    for (const [name, tree] of this.#indexes) {
      const values = this.#indexFunctions[name];
      if (!values) continue;
      const before = previous ? values(previous) : NONE;
      const after = next ? values(next) : NONE;
      for (const value of before) if (!after.includes(value)) tree.delete(indexKey(value, key));
      for (const value of after) if (!before.includes(value)) tree.set(indexKey(value, key), key);
    }
  }
}

/**
 * All values of an index share one tree, from "value, order key" to order key. So a value that few
 * objects have needs no tree of its own, and an update that keeps its index values changes nothing.
 */
type Index = SortedTree<string>;

const NONE: readonly string[] = [];

function indexKey(value: string, key: string): string {
  return `${value}\0${key}`;
}

function unknownIndex(index: string): Error {
  return new Error(`the store was opened without the index "${index}"`);
}
