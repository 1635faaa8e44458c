/** Pure: parses the operations of a JSON patch. */
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
  /** A message for each unknown field of an operation. */
  readonly unknown: readonly string[];
}

/** Throws a 400 if the patch is not a list of operations, and a 413 if it is too long. */
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
