/** The objects of a resource in list order: found by key, counted per namespace, read in pages. */
import type { KubeObject } from "../api/object.ts";
import { entriesWithPrefix, type SortedTree, sortedTree } from "./sorted-tree.ts";

export interface Position {
  readonly namespace: string;
  readonly name: string;
}

export interface PageQuery {
  readonly namespace?: string;
  readonly after?: Position;
  readonly limit?: number;
  readonly matches?: (object: KubeObject) => boolean;
}

export interface Page {
  readonly items: readonly KubeObject[];
  readonly more: boolean;
  readonly remaining?: number;
}

export class OrderedObjects {
  readonly #tree: SortedTree<KubeObject>;
  readonly #counts: Map<string, number>;

  constructor(tree: SortedTree<KubeObject> = sortedTree(), counts = new Map<string, number>()) {
    this.#tree = tree;
    this.#counts = counts;
  }

  get size(): number {
    return this.#tree.size;
  }

  get(position: Position): KubeObject | undefined {
    return this.#tree.get(orderKey(position));
  }

  getByOrderKey(key: string): KubeObject | undefined {
    return this.#tree.get(key);
  }

  put(position: Position, object: KubeObject): void {
    const isNew = this.#tree.set(orderKey(position), object);
    if (isNew) this.#count(position.namespace, 1);
  }

  delete(position: Position): void {
    const existed = this.#tree.delete(orderKey(position));
    if (existed) this.#count(position.namespace, -1);
  }

  /** A snapshot: later changes to either side do not affect the other. */
  copy(): OrderedObjects {
    return new OrderedObjects(this.#tree.clone(), new Map(this.#counts));
  }

  /** One page. `candidates` defaults to all objects of the namespace. */
  page(query: PageQuery, candidates?: Iterable<[string, KubeObject]>): Page {
    const prefix = namespacePrefix(query.namespace);
    const after = query.after && orderKey(query.after);
    const all = candidates ?? entriesWithPrefix(this.#tree, prefix, after);
    const { items, last } = takePage(all, query);
    const more = last !== undefined && this.#hasAfter(last, prefix);
    if (!more || query.matches || candidates) return { items, more };
    const remaining = after
      ? this.#countAfter(last, query.namespace)
      : this.#countIn(query.namespace) - items.length;
    return { items, more, remaining };
  }

  #count(namespace: string, step: number): void {
    const count = (this.#counts.get(namespace) ?? 0) + step;
    if (count === 0) this.#counts.delete(namespace);
    else this.#counts.set(namespace, count);
  }

  #countIn(namespace: string | undefined): number {
    return namespace ? (this.#counts.get(namespace) ?? 0) : this.#tree.size;
  }

  #hasAfter(key: string, prefix: string): boolean {
    return this.#tree.nextHigherKey(key)?.startsWith(prefix) ?? false;
  }

  #countAfter(key: string, namespace: string | undefined): number {
    const end = namespace ? namespace + AFTER_SEPARATOR : this.#tree.maxKey();
    return end === undefined ? 0 : this.#tree.forRange(key, end, true) - 1;
  }
}

const SEPARATOR = "/";
const AFTER_SEPARATOR = String.fromCharCode(SEPARATOR.charCodeAt(0) + 1);

export function orderKey({ namespace, name }: Position): string {
  return namespace + SEPARATOR + name;
}

/** "" means all namespaces. Only cluster-scoped objects have an empty namespace. */
export function namespacePrefix(namespace: string | undefined): string {
  return namespace ? namespace + SEPARATOR : "";
}

interface Taken {
  readonly items: readonly KubeObject[];
  /** The key at which the limit cut the page; absent if it did not. */
  readonly last?: string;
}

function takePage(entries: Iterable<[string, KubeObject]>, query: PageQuery): Taken {
  const { limit, matches } = query;
  const items: KubeObject[] = [];
  for (const [key, object] of entries) {
    if (matches && !matches(object)) continue;
    items.push(object);
    if (items.length === limit) return { items, last: key };
  }
  return { items };
}
