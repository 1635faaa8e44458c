/** Pure: finds fields of a schema by path: ".spec.replicas", ".labels['app']". */
import { fieldSchema, type Schema } from "../customresource/schema.ts";

export interface FoundField {
  readonly schema: Schema;
  readonly root: string;
}

export function findField(
  path: string,
  schema: Schema,
  { hasBrackets }: { readonly hasBrackets: boolean },
): FoundField | { readonly problem: string } {
  const tokens = path.match(/[.[\]]|[^.[\]]+/g) ?? [];
  let found = schema;
  let root = "";
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] ?? "";
    if (token === "[" && !hasBrackets) return { problem: "array notation is not allowed" };
    if (token !== "[" && token !== ".") return { problem: `expected [ or . but got: ${token}` };
    const named = tokens[at + 1];
    if (named === undefined) return { problem: "unexpected end of JSON path" };
    const name = token === "[" ? /^'(.*)'$/s.exec(named)?.[1] : named;
    if (token === "[" && (name === undefined || tokens[at + 2] !== "]")) {
      return { problem: `expected single quoted string but got ${named}` };
    }
    const field = fieldSchema(found, name ?? "");
    if (!field) return { problem: "does not refer to a valid field" };
    if (at === 0) root = name ?? "";
    found = field;
    at += token === "[" ? 3 : 2;
  }
  return { schema: found, root };
}
