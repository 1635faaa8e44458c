/** Pure: checks that lists of type set or map contain each item only once. */
import { duplicate, type Finding } from "../../api/finding.ts";
import type { Json } from "../../api/object.ts";
import { canonicalText } from "./canonical-text.ts";
import { childPath, fieldSchema, isObject, itemsOf, type Schema } from "./schema.ts";

export function validateListTypes(value: Json, schema: Schema, path: string): Finding[] {
  if (!mentionsListTypes(schema)) return [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    const own = repeatedAt(value, schema).map(({ at, shown }) => {
      return duplicate(childPath(path, at), shown);
    });
    if (!items) return own;
    const inner = value.flatMap((item, at) => validateListTypes(item, items, childPath(path, at)));
    return [...own, ...inner];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const field = fieldSchema(schema, name);
    return field ? validateListTypes(item, field, childPath(path, name)) : [];
  });
}

/** The value that identifies an item within a list; undefined if the list allows duplicates. */
export function itemKey(item: Json, schema: Schema): Json | undefined {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return item;
    case "map": {
      if (!isObject(item)) return undefined;
      const items = itemsOf(schema);
      const keys = schema["x-kubernetes-list-map-keys"] ?? [];
      const given = keys.map((key): [string, Json | undefined] => {
        return [key, item[key] ?? (items?.properties?.[key]?.default as Json | undefined)];
      });
      return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Json;
    }
    default:
      return undefined;
  }
}

interface Repeated {
  readonly at: number;
  readonly shown: Json;
}

function repeatedAt(list: readonly Json[], schema: Schema): readonly Repeated[] {
  const seen = new Set<string>();
  const found: Repeated[] = [];
  for (const [at, item] of list.entries()) {
    const key = itemKey(item, schema);
    if (key === undefined) continue;
    const text = canonicalText(key);
    if (seen.has(text)) found.push({ at, shown: key });
    seen.add(text);
  }
  return found;
}

const mentions = new WeakMap<Schema, boolean>();

function mentionsListTypes(schema: Schema): boolean {
  const known = mentions.get(schema);
  if (known !== undefined) return known;
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(isObject(schema.additionalProperties) ? [schema.additionalProperties as Schema] : []),
    ...(isObject(schema.items) ? [schema.items as Schema] : []),
  ];
  const type = schema["x-kubernetes-list-type"];
  const found = type === "set" || type === "map" || inner.some(mentionsListTypes);
  mentions.set(schema, found);
  return found;
}
