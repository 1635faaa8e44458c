/** Pure: merges a configuration into an object: fields it sets are replaced, all others stay. */
import type { Json } from "../../api/object.ts";
import type { FieldSchema, ListSchema, MapSchema } from "../../api/schema/field-schema.ts";
import { setOwn } from "../../api/schema/parsed-json.ts";
import { itemElement } from "./path-element.ts";
import { formOf, isBare, listOf, mapOf, schemaOfKey } from "./value.ts";

/** Neither argument is modified; the result shares unchanged parts with them. */
export function mergeValues(
  schema: FieldSchema,
  live: Json | undefined,
  config: Json | undefined,
): Json | undefined {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const form = formOf(schema, config);
  switch (form.kind) {
    case "scalar":
      return config;
    case "list": {
      const [ours, theirs] = [listOf(live), listOf(config)];
      if (form.relation === "atomic" || (isBare(ours) && isBare(theirs))) return config;
      return mergeItems(form, ours ?? [], theirs ?? []);
    }
    case "map": {
      const [ours, theirs] = [mapOf(live), mapOf(config)];
      if (form.isAtomic || (isBare(ours) && isBare(theirs))) return config;
      return mergeKeys(form, ours ?? {}, theirs ?? {});
    }
  }
}

type Fields = { readonly [key: string]: Json };

function mergeKeys(map: MapSchema, live: Fields, config: Fields): Json | undefined {
  const out: { [key: string]: Json } = {};
  let isEmpty = true;
  for (const key of new Set([...Object.keys(live), ...Object.keys(config)])) {
    const schema = schemaOfKey(map, key);
    const ours = Object.hasOwn(live, key) ? live[key] : undefined;
    const theirs = Object.hasOwn(config, key) ? config[key] : undefined;
    const merged = schema === undefined ? (theirs ?? ours) : mergeValues(schema, ours, theirs);
    if (merged === undefined) continue;
    setOwn(out, key, merged);
    isEmpty = false;
  }
  return isEmpty ? undefined : out;
}

/**
 * The items of the configuration keep its order; other items of the object keep their position
 * relative to the items that both have.
 */
function mergeItems(
  list: ListSchema,
  live: readonly Json[],
  config: readonly Json[],
): Json | undefined {
  const ours = live.map((item) => itemElement(list, item));
  const theirs = config.map((item) => itemElement(list, item));
  const [single, theirSingle] = [singleItems(ours, live), singleItems(theirs, config)];
  const out: Json[] = [];
  for (const { element, at } of orderItems(ours, theirs)) {
    const mine = at === undefined ? single.get(element) : live[at];
    const their = at === undefined ? theirSingle.get(element) : undefined;
    const merged = mergeValues(list.element(), mine, their);
    if (merged !== undefined) out.push(merged);
  }
  return out.length === 0 ? undefined : out;
}

/** An item that occurs twice matches none. */
function singleItems(
  elements: readonly string[],
  items: readonly Json[],
): ReadonlyMap<string, Json | undefined> {
  const found = new Map<string, Json | undefined>();
  for (const [at, element] of elements.entries()) {
    found.set(element, found.has(element) ? undefined : items[at]);
  }
  return found;
}

interface Placed {
  readonly element: string;
  /** The position of an item that only the object has. */
  readonly at?: number;
}

/** The same steps as in Kubernetes, so that the order is the same in all special cases. */
function orderItems(ours: readonly string[], theirs: readonly string[]): Placed[] {
  const [mine, their] = [new Set(ours), new Set(theirs)];
  const shared = theirs.filter((element) => mine.has(element));
  let nextShared = 0;
  const taken = new Set<string>();
  const placed: Placed[] = [];
  const take = (element: string) => {
    taken.add(element);
    placed.push({ element });
    if (shared[nextShared] === element) nextShared++;
  };
  let [at, next] = [0, 0];
  while (at < ours.length || next < theirs.length) {
    const [our, other] = [ours[at], theirs[next]];
    if (our !== undefined && our === other) {
      take(our);
      at++;
      next++;
      continue;
    }
    if (our !== undefined && !their.has(our)) {
      placed.push({ element: our, at });
      at++;
      continue;
    }
    const isLater =
      other !== undefined && shared[nextShared] !== undefined && shared[nextShared] !== our;
    if (our !== undefined && (isLater || taken.has(our))) {
      at++;
      if (isLater) continue;
    }
    if (other !== undefined) {
      take(other);
      next++;
    }
  }
  return placed;
}
