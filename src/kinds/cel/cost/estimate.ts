/**
 * Pure: estimates the maximum cost of an expression without evaluating it.
 *
 * Kubernetes rejects rules whose estimate exceeds a limit, so the estimate must be the same here,
 * including its imprecision: the size of a value is known from the schema if a path leads to it,
 * from the expression if it is written there, and is unlimited otherwise.
 *
 * Reading order: this file (the tree), macro-costs, call-costs, size (the arithmetic).
 */
import { unreachable } from "../../../base/assert.ts";
import type { Node } from "../ast.ts";
import type { Type } from "../types.ts";
import { type CallCost, languageCost, libraryCost, type Operand } from "./call-costs.ts";
import { type Estimate, type Estimating, LIST_COST, MAP_COST } from "./estimating.ts";
import { estimateMacro } from "./macro-costs.ts";
import { appended, NO_PATH, type Path, pathOf } from "./path.ts";
import {
  boundOf,
  type EntrySize,
  eitherEntry,
  eitherSize,
  fixed,
  limited,
  ONE,
  type Size,
  sizeOfType,
  UNKNOWN,
} from "./size.ts";

export function estimate(node: Node, context: Estimating): Estimate {
  const type = context.types.get(node) ?? { kind: "dyn" };
  switch (node.op) {
    case "constant":
      return { cost: 0, type, size: literalSize(node.value), path: NO_PATH };
    case "identifier":
      return estimateIdentifier(node.name, type, context);
    case "select":
      return estimateSelect(node, type, context);
    case "index":
      return estimateIndex(node, type, context);
    case "call":
      return estimateCall(node, type, context);
    case "list":
      return estimateList(node, type, context);
    case "map":
      return estimateMap(node, type, context);
    case "macro":
      return { ...estimateMacro(node, type, context, estimate), type, path: NO_PATH };
    default:
      return unreachable(node);
  }
}

type Of<Op extends Node["op"]> = Extract<Node, { readonly op: Op }>;

function literalSize(value: unknown): Size {
  if (typeof value === "string") return fixed([...value].length);
  return value instanceof Uint8Array ? fixed(value.length) : ONE;
}

/** The schema takes precedence over the type. */
function known(
  type: Type,
  path: Path,
  { root }: Estimating,
  otherwise?: Size,
): Pick<Estimate, "size" | "path"> {
  const size = boundOf(root, path) ?? sizeOfType(type) ?? otherwise;
  return { ...(size ? { size } : {}), path };
}

function estimateIdentifier(name: string, type: Type, context: Estimating): Estimate {
  const local = context.locals.get(name);
  const path = local?.path ?? pathOf(name);
  return {
    cost: 1,
    type,
    ...known(type, path, context, local?.size),
    ...(local?.entry ? { entry: local.entry } : {}),
  };
}

const SELECTED: ReadonlySet<string> = new Set(["map", "object"]);

function estimateSelect(node: Of<"select">, type: Type, context: Estimating): Estimate {
  const operand = estimate(node.operand, context);
  if (node.isTest) return { cost: operand.cost, type, ...known(type, NO_PATH, context) };
  // An optional field is read by a call.
  if (node.isOptional) {
    return { cost: limited(operand.cost + 1), type, ...known(type, NO_PATH, context) };
  }
  const step = SELECTED.has(operand.type.kind) ? 1 : 0;
  const path = appended(operand.path, node.field);
  return { cost: limited(operand.cost + step), type, ...known(type, path, context) };
}

function estimateIndex(node: Of<"index">, type: Type, context: Estimating): Estimate {
  const operand = estimate(node.operand, context);
  const index = estimate(node.index, context);
  const cost = limited(operand.cost + index.cost + 1);
  const { kind } = operand.type;
  if (node.isOptional || kind === "optional") {
    return { cost, type, ...known(type, NO_PATH, context) };
  }
  // A value that could be either counts as a map, as in Kubernetes, which checks maps last.
  const step = kind === "list" ? "@items" : "@values";
  const path = appended(operand.path, step);
  const size = operand.entry?.value;
  return { cost, type, ...(size ? { size, path } : known(type, path, context)) };
}

function estimateCall(node: Of<"call">, type: Type, context: Estimating): Estimate {
  const { name, target: receiver } = node;
  const spaced = namespaceOf(node, context);
  const given = node.arguments.map((each) => estimate(each, context));
  const argumentsCost = given.reduce((sum, { cost }) => limited(sum + cost), 0);
  if (name === "dyn" && given[0]) {
    return { ...given[0], cost: limited(given[0].cost + 1), type, path: NO_PATH };
  }
  if (name === "_&&_" || name === "_||_") {
    return { cost: argumentsCost, type, size: ONE, path: NO_PATH };
  }
  if (name === "_?_:_") return estimateChoice(given, type);
  const target = receiver && spaced === undefined ? estimate(receiver, context) : undefined;
  const call = {
    name: spaced === undefined ? name : `${spaced}.${name}`,
    given: given.map((each, at) => operandOf(node.arguments[at], each)),
    root: context.root,
    ...(target && receiver ? { target: operandOf(receiver, target) } : {}),
  };
  const { cost, size }: CallCost = libraryCost(call) ?? languageCost(call);
  const entry = name === "_+_" ? eitherEntry(given[0]?.entry, given[1]?.entry) : undefined;
  return {
    cost: limited(cost + argumentsCost + (target?.cost ?? 0)),
    type,
    ...known(type, NO_PATH, context),
    ...(size ? { size } : {}),
    ...(entry ? { entry } : {}),
  };
}

function namespaceOf({ name, target }: Of<"call">, context: Estimating): string | undefined {
  if (target?.op !== "identifier" || context.locals.has(target.name)) return undefined;
  return context.functions.has(`${target.name}.${name}`) ? target.name : undefined;
}

function operandOf(node: Node | undefined, { type, size, path }: Estimate): Operand {
  const isInteger = node?.op === "constant" && typeof node.value === "bigint";
  return {
    type,
    path,
    ...(size ? { size } : {}),
    ...(isInteger ? { integer: Number(node.value) } : {}),
  };
}

function estimateChoice(given: readonly Estimate[], type: Type): Estimate {
  const [condition, then, otherwise] = given as [Estimate, Estimate, Estimate];
  const entry = eitherEntry(then.entry, otherwise.entry);
  return {
    cost: limited(condition.cost + Math.max(then.cost, otherwise.cost)),
    type,
    path: NO_PATH,
    size: eitherSize(then.size ?? UNKNOWN, otherwise.size ?? UNKNOWN),
    ...(entry ? { entry } : {}),
  };
}

function estimateList(node: Of<"list">, type: Type, context: Estimating): Estimate {
  const items = node.items.map((item) => estimate(item.node, context));
  const cost = items.reduce((sum, item) => limited(sum + item.cost), LIST_COST);
  const entry: EntrySize = { container: "list", key: ONE, value: anyOf(items) };
  return { cost, type, size: fixed(items.length), entry, path: NO_PATH };
}

/** The size that covers each of them. */
function anyOf(parts: readonly Estimate[]): Size {
  const [first = fixed(0), ...others] = parts.map(({ size }) => size ?? UNKNOWN);
  return others.reduce(eitherSize, first);
}

function estimateMap(node: Of<"map">, type: Type, context: Estimating): Estimate {
  const keys = node.entries.map(({ key }) => estimate(key, context));
  const values = node.entries.map(({ value }) => estimate(value, context));
  const cost = [...keys, ...values].reduce((sum, each) => limited(sum + each.cost), MAP_COST);
  const entry: EntrySize = { container: "map", key: anyOf(keys), value: anyOf(values) };
  return { cost, type, size: fixed(keys.length), entry, path: NO_PATH };
}
