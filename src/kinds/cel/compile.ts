/**
 * Pure: checks the types of an expression and compiles it to a function, in one pass.
 *
 * Every step of the function is counted against a budget, so that an expression with nested loops
 * ends in time, with an error.
 */
import { ExpressionError, type Node } from "./ast.ts";
import { compileMacro } from "./compile-macro.ts";
import { choose } from "./functions.ts";
import { type Compiled, type Frame, isRecoverable, type Scope } from "./scope.ts";
import {
  BOOL,
  DYN,
  fits,
  formatType,
  INT,
  joined,
  listOf,
  mapOf,
  optionalOf,
  partOf,
  STRING,
  TYPE,
  type Type,
} from "./types.ts";
import { CelError, Optional, TypeValue, Uint, type Value } from "./value.ts";

/** Throws ExpressionError. */
export function compile(node: Node, scope: Scope): Compiled {
  const compiled = compileNode(node, scope);
  scope.types.set(node, compiled.type);
  return compiled;
}

function compileNode(node: Node, scope: Scope): Compiled {
  switch (node.op) {
    case "constant":
      return { type: { kind: node.type }, run: () => node.value };
    case "identifier":
      return compileIdentifier(node, scope);
    case "select":
      return compileSelect(node, scope);
    case "index":
      return compileIndex(node, scope);
    case "call":
      return compileCall(node, scope);
    case "list":
      return compileList(node, scope);
    case "map":
      return compileMap(node, scope);
    case "macro":
      return compileMacro(node, scope, compile);
  }
}

type Of<Op extends Node["op"]> = Extract<Node, { readonly op: Op }>;

const TYPE_NAMES = ["int", "uint", "double", "bool", "string", "bytes", "list", "map", "type"];

function compileIdentifier({ name, at }: Of<"identifier">, scope: Scope): Compiled {
  const variable = scope.variables.get(name);
  if (variable) {
    const { slot, type } = variable;
    return {
      type,
      run: ({ slots, step }) => {
        step(1);
        return slots[slot] as Value;
      },
    };
  }
  if (TYPE_NAMES.includes(name)) return { type: TYPE, run: () => new TypeValue(name) };
  if (name === "null_type") return { type: TYPE, run: () => new TypeValue("null") };
  throw new ExpressionError(`undeclared reference to '${name}' (in container '')`, at);
}

function compileSelect(node: Of<"select">, scope: Scope): Compiled {
  const { field, at, isOptional, isTest } = node;
  const operand = compile(node.operand, scope);
  const isWithin = operand.type.kind === "optional";
  const inner = isWithin ? partOf(operand.type) : operand.type;
  const type = fieldType(inner, field, at);
  const read = (frame: Frame): Value | undefined => {
    frame.step(1);
    const given = operand.run(frame);
    const value = given instanceof Optional ? given.value : given;
    if (value === undefined) return undefined;
    if (value instanceof Map) return value.get(field);
    if (isTest || value === null || inner.kind === "dyn")
      throw new CelError(`no such key: ${field}`);
    throw new CelError("no such overload");
  };
  if (isTest) return { type: BOOL, run: (frame) => read(frame) !== undefined };
  if (isOptional || isWithin) {
    return { type: optionalOf(type), run: (frame) => optional(read(frame)) };
  }
  return {
    type,
    run: (frame) => {
      const value = read(frame);
      if (value === undefined) throw new CelError(`no such key: ${field}`);
      return value;
    },
  };
}

function optional(value: Value | undefined): Optional {
  return value === undefined ? NONE : new Optional(value);
}

const NONE = new Optional();

function fieldType(type: Type, field: string, at: number): Type {
  switch (type.kind) {
    case "dyn":
      return DYN;
    case "map":
      return partOf(type, 1);
    case "object": {
      const found = type.fields?.get(field);
      if (found) return found;
      throw new ExpressionError(`undefined field '${field}'`, at);
    }
    default: {
      const problem = `type '${formatType(type)}' does not support field selection`;
      throw new ExpressionError(problem, at);
    }
  }
}

function compileIndex(node: Of<"index">, scope: Scope): Compiled {
  const operand = compile(node.operand, scope);
  const index = compile(node.index, scope);
  const isWithin = operand.type.kind === "optional";
  const inner = isWithin ? partOf(operand.type) : operand.type;
  const { type, key } = indexTypes(inner);
  if (!type || !fits(key, index.type, new Map())) {
    throw noOverload("_[_]", [operand.type, index.type], false, node.at);
  }
  const isOptional = node.isOptional || isWithin;
  const run = (frame: Frame): Value => {
    frame.step(1);
    const given = operand.run(frame);
    const value = given instanceof Optional ? given.value : given;
    const at = index.run(frame);
    const found = value === undefined ? undefined : itemAt(value, at);
    if (isOptional) return optional(found);
    if (found !== undefined) return found;
    throw new CelError(
      value instanceof Map ? `no such key: ${shown(at)}` : `index out of bounds: ${shown(at)}`,
    );
  };
  return { type: isOptional ? optionalOf(type) : type, run };
}

function indexTypes(type: Type): { readonly type?: Type; readonly key: Type } {
  switch (type.kind) {
    case "list":
      return { type: partOf(type), key: INT };
    case "map":
      return { type: partOf(type, 1), key: partOf(type) };
    case "dyn":
      return { type: DYN, key: DYN };
    default:
      return { key: DYN };
  }
}

function itemAt(value: Value, at: Value): Value | undefined {
  if (value instanceof Map) return value.get(at instanceof Uint ? at.value : at);
  if (!Array.isArray(value)) throw new CelError("no such overload");
  const place = at instanceof Uint ? at.value : at;
  if (typeof place !== "bigint" && typeof place !== "number")
    throw new CelError("no such overload");
  return value[Number(place)];
}

function shown(value: Value): string {
  return value instanceof Uint ? String(value.value) : String(value);
}

function compileCall(node: Of<"call">, scope: Scope): Compiled {
  const { name, at } = node;
  if (name === "_&&_" || name === "_||_") return compileLogic(node, scope);
  if (name === "_?_:_") return compileTernary(node, scope);
  const spaced = namespaceOf(node, scope);
  const target = spaced === undefined && node.target ? [node.target] : [];
  const given = [...target, ...node.arguments].map((each) => compile(each, scope));
  const isMember = target.length > 0;
  const full = spaced === undefined ? name : `${spaced}.${name}`;
  if (full === "dyn" && given[0] && given.length === 1) return { ...given[0], type: DYN };
  const overloads = scope.functions.get(full);
  if (!overloads) {
    throw new ExpressionError(`undeclared reference to '${full}' (in container '')`, at);
  }
  const types = given.map(({ type }) => type);
  const chosen = choose(overloads, isMember, types);
  if (!chosen) throw noOverload(full, types, isMember, at);
  const { run } = chosen;
  return {
    type: chosen.result,
    run: (frame) => {
      frame.step(1);
      return run(
        given.map((each) => each.run(frame)),
        frame.step,
      );
    },
  };
}

/** For example "sets" in sets.contains(a, b), unless a variable has that name. */
function namespaceOf({ name, target }: Of<"call">, { variables, functions }: Scope) {
  if (target?.op !== "identifier" || variables.has(target.name)) return undefined;
  return functions.has(`${target.name}.${name}`) ? target.name : undefined;
}

function noOverload(
  name: string,
  types: readonly Type[],
  isMember: boolean,
  at: number,
): ExpressionError {
  const [first, ...rest] = types.map(formatType);
  const shownTypes = isMember
    ? `${first}.(${rest.join(", ")})`
    : `(${[first, ...rest].join(", ")})`;
  const problem = `found no matching overload for '${name}' applied to '${shownTypes}'`;
  return new ExpressionError(problem, at);
}

/**
 * Either side may decide the result: an error of one side counts only if the other does not decide.
 */
function compileLogic({ name, arguments: list, at }: Of<"call">, scope: Scope): Compiled {
  const sides = list.map((each) => compile(each, scope));
  const types = sides.map(({ type }) => type);
  if (!types.every((type) => fits(BOOL, type, new Map()))) throw noOverload(name, types, false, at);
  const deciding = name === "_||_";
  const [left, right] = sides as [Compiled, Compiled];
  return { type: BOOL, run: (frame) => decideEither(left, right, deciding, frame) };
}

function decideEither(left: Compiled, right: Compiled, deciding: boolean, frame: Frame): Value {
  frame.step(1);
  let failure: unknown;
  try {
    const one = left.run(frame);
    if (one === deciding) return deciding;
    if (typeof one !== "boolean") throw new CelError("no such overload");
  } catch (error) {
    if (!isRecoverable(error)) throw error;
    failure = error;
  }
  const other = right.run(frame);
  if (other === deciding) return deciding;
  if (failure !== undefined) throw failure;
  if (typeof other !== "boolean") throw new CelError("no such overload");
  return other;
}

function compileTernary({ arguments: list, at }: Of<"call">, scope: Scope): Compiled {
  const [condition, then, otherwise] = list.map((each) => compile(each, scope)) as [
    Compiled,
    Compiled,
    Compiled,
  ];
  if (!fits(BOOL, condition.type, new Map())) {
    throw noOverload("_?_:_", [condition.type, then.type, otherwise.type], false, at);
  }
  return {
    type: joined(then.type, otherwise.type),
    run: (frame) => {
      frame.step(1);
      const holds = condition.run(frame);
      if (typeof holds !== "boolean") throw new CelError("no such overload");
      return holds ? then.run(frame) : otherwise.run(frame);
    },
  };
}

function compileList({ items }: Of<"list">, scope: Scope): Compiled {
  const compiled = items.map(({ node, isOptional }) => ({ ...compile(node, scope), isOptional }));
  const types = compiled.map(({ type, isOptional }) => (isOptional ? partOf(type) : type));
  const element = types.length === 0 ? DYN : types.reduce(joined);
  return {
    type: listOf(element),
    run: (frame) => {
      frame.step(1 + compiled.length);
      return compiled.flatMap(({ run, isOptional }): Value[] => {
        const value = run(frame);
        if (!isOptional) return [value];
        return value instanceof Optional && value.value !== undefined ? [value.value] : [];
      });
    },
  };
}

function compileMap({ entries }: Of<"map">, scope: Scope): Compiled {
  const compiled = entries.map(({ key, value, isOptional }) => ({
    key: compile(key, scope),
    value: compile(value, scope),
    isOptional,
  }));
  const keys = compiled.map(({ key }) => key.type);
  const values = compiled.map(({ value, isOptional }) =>
    isOptional ? partOf(value.type) : value.type,
  );
  const type = mapOf(
    keys.length === 0 ? DYN : keys.reduce(joined),
    values.length === 0 ? DYN : values.reduce(joined),
  );
  const run = (frame: Frame): Value => {
    frame.step(1 + compiled.length);
    const map = new Map<Value, Value>();
    for (const { key, value, isOptional } of compiled) {
      const name = key.run(frame);
      const given = value.run(frame);
      const item = isOptional && given instanceof Optional ? given.value : given;
      if (item === undefined) continue;
      if (map.has(name)) throw new CelError(`insert failed: key ${shown(name)} already exists`);
      map.set(name, item);
    }
    return map;
  };
  return { type: keys.length === 0 ? mapOf(STRING, DYN) : type, run };
}
