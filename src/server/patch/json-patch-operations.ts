/** Pure: reads the operations of a JSON patch. */
import { badRequest } from "../../api/errors.ts";
import type { Json } from "../../api/object.ts";
import { cannotUnmarshal, isObject } from "./go-value.ts";
import type { Operation } from "./json-patch.ts";
import { tooManyOperations } from "./patch-errors.ts";

const MAX_OPERATIONS = 10_000;
const TEXTS = ["op", "path", "from"] as const;
const KNOWN: readonly string[] = [...TEXTS, "value"];

export interface Operations {
  readonly operations: readonly Operation[];
  /** A complaint for each operand that no operation has. */
  readonly unknown: readonly string[];
}

/** Throws a 400 for what is no list of operations, a 413 for a list that is too long. */
export function parseOperations(patch: Json): Operations {
  if (patch === null) return { operations: [], unknown: [] };
  if (!Array.isArray(patch)) {
    throw undecodable(cannotUnmarshal(patch, "Go value of type []handlers.jsonPatchOp"));
  }
  const operations = patch.map(parseOperation);
  if (operations.length > MAX_OPERATIONS) {
    throw tooManyOperations(operations.length, MAX_OPERATIONS);
  }
  const unknown = operations.flatMap((operation, index) =>
    Object.keys(operation)
      .filter((key) => !KNOWN.includes(key))
      .map((key) => `unknown field "[${index}].${key}"`),
  );
  return { operations, unknown };
}

function parseOperation(given: Json): Operation {
  if (given === null) return {};
  if (!isObject(given)) {
    throw undecodable(cannotUnmarshal(given, "Go value of type handlers.jsonPatchOp"));
  }
  for (const name of TEXTS) {
    const text = given[name] ?? null;
    if (text !== null && typeof text !== "string") {
      throw undecodable(
        cannotUnmarshal(text, `Go struct field jsonPatchOp.${name} of type string`),
      );
    }
  }
  return given;
}

function undecodable(problem: string): Error {
  return badRequest(`error decoding patch: ${problem}`);
}
