/** Pure: adds the struct fields that lead to a member of a set as members themselves. */
import type { FieldSchema } from "../../api/schema/field-schema.ts";
import { below, type FieldSet, isEmptySet, isMember, LEAF, nodeOf } from "./field-set.ts";
import { formOf, schemaOfKey } from "./value.ts";

/** A struct is owned through its fields. When fields are removed, it is treated like them. */
export function withNamedFields(schema: FieldSchema | undefined, set: FieldSet): FieldSet {
  const out: { [element: string]: FieldSet } = {};
  let isSame = true;
  for (const element in set) {
    const node = set[element] ?? LEAF;
    const inside = isEmptySet(node) ? node : namedNode(childOf(schema, element), node);
    if (inside !== node) isSame = false;
    if (inside !== undefined) out[element] = inside;
  }
  return isSame ? set : out;
}

function namedNode({ child, isNamed }: Child, node: FieldSet): FieldSet | undefined {
  const children = below(node);
  const inside = withNamedFields(child, children);
  if (inside === children && (isMember(node) || !isNamed)) return node;
  return nodeOf(isMember(node) || isNamed, inside);
}

interface Child {
  readonly child: FieldSchema | undefined;
  readonly isNamed: boolean;
}

function childOf(schema: FieldSchema | undefined, element: string): Child {
  if (schema === undefined) return { child: undefined, isNamed: false };
  const form = formOf(schema, undefined);
  if (form.kind === "list") return { child: form.element(), isNamed: false };
  if (form.kind !== "map" || !element.startsWith("f:")) return { child: undefined, isNamed: false };
  const name = element.slice(2);
  return { child: schemaOfKey(form, name), isNamed: form.field(name) !== undefined };
}
