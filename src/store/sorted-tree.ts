/** Sorted maps by string key, with cheap copies, read by key prefix. */
import { createRequire } from "node:module";

// The package is CommonJS with a default export, which Node and a bundler unwrap differently.
type SortedBTree = typeof import("sorted-btree", { with: { "resolution-mode": "require" }});
const { default: BTree } = createRequire(import.meta.url)("sorted-btree") as SortedBTree;

/** Copy-on-write: clone() costs nothing until one of the two copies changes. */
export type SortedTree<Value> = InstanceType<typeof BTree<string, Value>>;

export function sortedTree<Value>(): SortedTree<Value> {
  return new BTree<string, Value>(undefined, compareStrings, NODE_SIZE);
}

/** Large nodes make counting a range cheap, because counting visits each leaf once. */
const NODE_SIZE = 128;

function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Entries whose key starts with the prefix, in order: after key `after`, and not before `from`. */
export function* entriesWithPrefix<Value>(
  tree: SortedTree<Value>,
  prefix: string,
  after: string | undefined,
  from: string = prefix,
): Generator<[string, Value]> {
  const start = after !== undefined && after > from ? after : from;
  for (const entry of tree.entries(start)) {
    if (!entry[0].startsWith(prefix)) return;
    if (entry[0] !== after) yield entry;
  }
}
