/** Pure: what the schema tables say about merging a field. */
import { quote } from "../../api/finding.ts";
import { jsonFields, parseType, structName } from "../../api/schema/tables.ts";
import { badPatch } from "./patch-errors.ts";

export interface MergeFacts {
  /** A type reference: of the field or, for a list, of its elements. */
  readonly type: string;
  readonly strategy: "merge" | "replace" | "";
  /** Empty for a list of scalars. */
  readonly mergeKey: string;
}

/** The facts about a field whose value is an object. */
export function factsOfObject(parent: string, field: string): MergeFacts {
  const reference = parseType(parent);
  // A map has no fields, and a type that Go defines by hand is a struct without fields.
  if (reference.kind === "map" || reference.kind === "list") {
    const go = reference.kind === "map" ? "map" : "slice";
    throw badPatch(`merging an object in json but data type is not struct, instead is: ${go}`);
  }
  const facts = reference.kind === "message" ? findField(reference.name, field) : undefined;
  if (facts === undefined) {
    const struct = reference.kind === "message" ? structName(reference.name) : reference.name;
    throw badPatch(
      `unable to find api field in struct ${struct} for the json field ${quote(field)}`,
    );
  }
  return facts;
}

/** The facts about a field whose value is a list. */
export function factsOfList(parent: string, field: string): MergeFacts {
  const facts = factsOfObject(parent, field);
  const reference = parseType(facts.type);
  if (reference.kind !== "list") throw badPatch("expected slice or array type, but got: struct");
  return { ...facts, type: reference.element };
}

/** As in Go's JSON, the exact name is preferred, but another case is accepted. */
function findField(messageName: string, field: string): MergeFacts | undefined {
  const fields = jsonFields(messageName);
  const lower = field.toLowerCase();
  const found =
    fields.get(field) ?? [...fields.values()].find(({ json }) => json.toLowerCase() === lower);
  if (found === undefined) return undefined;
  const strategies = (found.strategy ?? "").split(",");
  const strategy = strategies.find((each) => each === "merge" || each === "replace") ?? "";
  return { type: found.type, strategy, mergeKey: found.mergeKey ?? "" };
}
