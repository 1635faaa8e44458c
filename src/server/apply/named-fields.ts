/** Pure: adds the struct fields that lead to a member of a set as members themselves. */
import type { FieldSchema } from "../../api/schema/field-schema.ts";
import { below, type FieldSet, isMember, nodeOf } from "./field-set.ts";
import { formOf, schemaOfKey } from "./value.ts";

/** A struct is owned through its fields. When fields are removed, it is treated like them. */
export function withNamedFields(schema: FieldSchema | undefined, set: FieldSet): FieldSet {
  const out: { [element: string]: FieldSet } = {};
  for (const [element, node] of Object.entries(set)) {
    const { child, isNamed } = childOf(schema, element);
    const children = below(node);
    const inside = nodeOf(isMember(node) || isNamed, withNamedFields(child, children));
    if (inside !== undefined) out[element] = inside;
  }
  return out;
}

function childOf(
  schema: FieldSchema | undefined,
  element: string,
): { readonly child: FieldSchema | undefined; readonly isNamed: boolean } {
  if (schema === undefined) return { child: undefined, isNamed: false };
  const form = formOf(schema, undefined);
  if (form.kind === "list") return { child: form.element(), isNamed: false };
  if (form.kind !== "map" || !element.startsWith("f:")) return { child: undefined, isNamed: false };
  const name = element.slice(2);
  return { child: schemaOfKey(form, name), isNamed: form.field(name) !== undefined };
}
