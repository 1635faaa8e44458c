/**
 * Pure: the costs of macros. To Kubernetes each macro is a loop with an accumulator. The cost of
 * its operations per iteration is included; the constants here are named after them.
 */
import type { Node } from "../ast.ts";
import { partOf, type Type } from "../types.ts";
import { type Estimate, type Estimating, LIST_COST, type Local, MAP_COST } from "./estimating.ts";
import { appended, NO_PATH } from "./path.ts";
import {
  boundOf,
  eitherSize,
  fixed,
  limited,
  ONE,
  type Size,
  sizeOfType,
  UNKNOWN,
} from "./size.ts";

type Macro = Extract<Node, { readonly op: "macro" }>;
type Part = Omit<Estimate, "type" | "path">;
type EstimatePart = (node: Node, context: Estimating) => Estimate;

const READ = 1;
const CALL = 1;

export function estimateMacro(
  node: Macro,
  type: Type,
  context: Estimating,
  estimate: EstimatePart,
): Part {
  const isOptional = node.name === "optMap" || node.name === "optFlatMap";
  return isOptional
    ? estimateOptional(node, type, context, estimate)
    : estimateLoop(node, type, context, estimate);
}

function estimateBody(
  node: Macro,
  local: Local,
  context: Estimating,
  estimate: EstimatePart,
): Estimate {
  const [variable = ""] = node.variables;
  const locals = new Map(context.locals).set(variable, local);
  return estimate(node.arguments[0] as Node, { ...context, locals });
}

/** Tests whether there is a value, and binds it if so. The test is evaluated twice. */
function estimateOptional(
  node: Macro,
  type: Type,
  context: Estimating,
  estimate: EstimatePart,
): Part {
  const optional = estimate(node.range, context);
  const body = estimateBody(node, { path: NO_PATH }, context, estimate);
  const bound = LIST_COST + optional.cost + CALL + body.cost;
  const isFlat = node.name === "optFlatMap";
  const then = isFlat ? bound : bound + CALL;
  const none = sizeOfType(type) ?? UNKNOWN;
  return {
    cost: limited(optional.cost + CALL + then),
    size: eitherSize(isFlat ? (body.size ?? UNKNOWN) : none, none),
  };
}

function estimateLoop(node: Macro, type: Type, context: Estimating, estimate: EstimatePart): Part {
  const range = estimate(node.range, context);
  const locals = new Map(context.locals);
  for (const [name, local] of iterated(node.variables, range)) locals.set(name, local);
  const parts = node.arguments.map((each) => estimate(each, { ...context, locals }));
  const last = parts.at(-1) as Estimate;
  const test = parts.length > 1 ? (parts[0]?.cost ?? 0) : 0;
  const turns = turnsOf(node.range, range, context);
  const over = (before: number, turn: number) =>
    limited(limited(range.cost + before) + limited(turns.max * limited(turn)));
  switch (node.name) {
    case "all":
      return { cost: over(READ, CALL + READ + READ + last.cost), size: ONE };
    case "exists":
      return { cost: over(READ, CALL + CALL + READ + READ + last.cost), size: ONE };
    case "exists_one":
      return { cost: over(READ + CALL, last.cost + CALL + READ), size: ONE };
    case "filter": {
      const kept = locals.get(node.variables[0] ?? "");
      const size =
        boundOf(context.root, kept?.path ?? NO_PATH) ?? sizeOfType(partOf(type)) ?? kept?.size;
      const turn = last.cost + CALL + READ + LIST_COST + READ;
      return { cost: over(LIST_COST + READ, turn), ...listOfTurns(turns, size) };
    }
    case "transformMap":
      return { cost: over(MAP_COST + READ, test + CALL + 2 * READ + last.cost), size: turns };
    case "transformMapEntry":
      return { cost: over(MAP_COST + READ, test + CALL + READ + last.cost), size: turns };
    default: {
      const turn = test + CALL + READ + LIST_COST + last.cost;
      return { cost: over(LIST_COST + READ, turn), ...listOfTurns(turns, last.size) };
    }
  }
}

/** The range of a variable is looked up after the body, as in Kubernetes: see path.ts. */
function turnsOf(node: Node, range: Estimate, { root }: Estimating): Size {
  const isRead = node.op === "identifier" || node.op === "select";
  return (isRead ? boundOf(root, range.path) : undefined) ?? range.size ?? UNKNOWN;
}

/**
 * The result has as many items as the range at most, and each item is at most as large as what is
 * inserted.
 */
function listOfTurns(turns: Size, item: Size = UNKNOWN): Pick<Part, "size" | "entry"> {
  const value = eitherSize(fixed(0), item);
  return { size: turns, entry: { container: "list", key: ONE, value } };
}

/**
 * A single variable is the item of a list or the key of a map; with two, the first is the index or
 * key.
 */
function iterated(names: readonly string[], range: Estimate): (readonly [string, Local])[] {
  const { entry, path } = range;
  const isList = (entry?.container ?? range.type.kind) === "list";
  const place = (step: string, size: Size | undefined): Local => ({
    path: appended(path, step),
    ...(size ? { size } : {}),
  });
  const [first = "", second] = names;
  if (second === undefined) {
    return [[first, isList ? place("@items", entry?.value) : place("@keys", entry?.key)]];
  }
  const key = place(isList ? "@indices" : "@keys", entry?.key);
  const value = place(isList ? "@items" : "@values", entry?.value);
  return [
    [first, key],
    [second, value],
  ];
}
