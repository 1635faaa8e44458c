/** Pure: compiles macros: loops over lists and maps, and access to optional values. */
import { ExpressionError, type Node } from "./ast.ts";
import { type Compiled, type Frame, isRecoverable, type Scope } from "./scope.ts";
import {
  BOOL,
  DYN,
  fits,
  formatType,
  INT,
  listOf,
  mapOf,
  optionalOf,
  partOf,
  type Type,
} from "./types.ts";
import { CelError, Optional, type Value } from "./value.ts";

type Macro = Extract<Node, { readonly op: "macro" }>;
type Compile = (node: Node, scope: Scope) => Compiled;

export function compileMacro(node: Macro, scope: Scope, compile: Compile): Compiled {
  const range = compile(node.range, scope);
  if (node.name === "optMap" || node.name === "optFlatMap") {
    return compileOptional(node, range, scope, compile);
  }
  return compileLoop(node, range, scope, compile);
}

function compileOptional(node: Macro, range: Compiled, scope: Scope, compile: Compile): Compiled {
  if (range.type.kind !== "optional" && range.type.kind !== "dyn") {
    throw new ExpressionError(`${node.name} of '${formatType(range.type)}'`, node.at);
  }
  const inner = withVariables(scope, node.variables, [partOf(range.type)]);
  const body = compile(node.arguments[0] as Node, inner);
  const slot = scope.nextSlot;
  const isFlat = node.name === "optFlatMap";
  return {
    type: isFlat ? body.type : optionalOf(body.type),
    run: (frame) => {
      const given = range.run(frame);
      if (!(given instanceof Optional)) throw new CelError("no such overload");
      if (given.value === undefined) return given;
      frame.slots[slot] = given.value;
      const value = body.run(frame);
      return isFlat ? value : new Optional(value);
    },
  };
}

function withVariables(scope: Scope, names: readonly string[], types: readonly Type[]): Scope {
  const variables = new Map(scope.variables);
  for (const [at, name] of names.entries()) {
    variables.set(name, { slot: scope.nextSlot + at, type: types[at] ?? DYN });
  }
  return { ...scope, variables, nextSlot: scope.nextSlot + names.length };
}

/** The types of the loop variables. A single variable is the item of a list or the key of a map. */
function variableTypes(range: Type, count: number, at: number): readonly Type[] {
  switch (range.kind) {
    case "list":
      return count === 1 ? [partOf(range)] : [INT, partOf(range)];
    case "map":
      return count === 1 ? [partOf(range)] : [partOf(range), partOf(range, 1)];
    case "dyn":
      return [DYN, DYN];
    default: {
      const given = `expression of type '${formatType(range)}'`;
      const problem = "cannot be range of a comprehension (must be list, map, or dynamic)";
      throw new ExpressionError(`${given} ${problem}`, at);
    }
  }
}

function compileLoop(node: Macro, range: Compiled, scope: Scope, compile: Compile): Compiled {
  const count = node.variables.length;
  const types = variableTypes(range.type, count, node.range.at);
  const inner = withVariables(scope, node.variables, types);
  const bodies = node.arguments.map((each) => compile(each, inner));
  const last = bodies.at(-1) as Compiled;
  const filter = bodies.length > 1 ? (bodies[0] as Compiled) : undefined;
  const tests = TESTS.has(node.name) ? bodies : filter ? [filter] : [];
  for (const { type } of tests) {
    if (fits(BOOL, type, new Map())) continue;
    const problem = `expected type 'bool' but found '${formatType(type)}'`;
    throw new ExpressionError(problem, node.at);
  }
  const slot = scope.nextSlot;
  const entries = function* (frame: Frame): Generator<readonly [Value, Value]> {
    for (const [key, value] of entriesOf(range.run(frame), count)) {
      frame.step(1);
      frame.slots[slot] = count === 1 ? value : key;
      if (count > 1) frame.slots[slot + 1] = value;
      yield [key, value];
    }
  };
  const isKept = (frame: Frame) => !filter || isTrue(filter.run(frame));
  const loop = { entries, isKept, last, range: range.type };
  return RESULTS[node.name as LoopName](loop);
}

type LoopName = Exclude<Macro["name"], "optMap" | "optFlatMap">;

const TESTS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter"]);

interface Loop {
  /** Sets the loop variables for each entry. */
  readonly entries: (frame: Frame) => Iterable<readonly [Value, Value]>;
  readonly isKept: (frame: Frame) => boolean;
  readonly last: Compiled;
  readonly range: Type;
}

const RESULTS: { readonly [name in LoopName]: (loop: Loop) => Compiled } = {
  all: (loop) => ({ type: BOOL, run: (frame) => !hasOne(loop, frame, false) }),
  exists: (loop) => ({ type: BOOL, run: (frame) => hasOne(loop, frame, true) }),
  exists_one: ({ entries, last }) => ({
    type: BOOL,
    run: (frame) => {
      let found = 0;
      for (const _ of entries(frame)) if (isTrue(last.run(frame))) found += 1;
      return found === 1;
    },
  }),
  filter: ({ entries, last, range }) => ({
    type: listOf(range.kind === "dyn" ? DYN : partOf(range)),
    run: (frame) => {
      const kept: Value[] = [];
      for (const [, value] of entries(frame)) if (isTrue(last.run(frame))) kept.push(value);
      return kept;
    },
  }),
  map: toList,
  transformList: toList,
  transformMap: ({ entries, isKept, last, range }) => ({
    type: mapOf(
      range.kind === "map" ? partOf(range) : range.kind === "list" ? INT : DYN,
      last.type,
    ),
    run: (frame) => {
      const made = new Map<Value, Value>();
      for (const [key] of entries(frame)) if (isKept(frame)) made.set(key, last.run(frame));
      return made;
    },
  }),
  transformMapEntry: ({ entries, isKept, last }) => ({
    type: last.type,
    run: (frame) => {
      const made = new Map<Value, Value>();
      for (const _ of entries(frame)) {
        if (!isKept(frame)) continue;
        const entry = last.run(frame);
        if (!(entry instanceof Map)) throw new CelError("no such overload");
        for (const [key, value] of entry) {
          if (made.has(key)) throw new CelError(`insert failed: key ${String(key)} already exists`);
          made.set(key, value);
        }
      }
      return made;
    },
  }),
};

function toList({ entries, isKept, last }: Loop): Compiled {
  return {
    type: listOf(last.type),
    run: (frame) => {
      const made: Value[] = [];
      for (const _ of entries(frame)) if (isKept(frame)) made.push(last.run(frame));
      return made;
    },
  };
}

/** An error for one item counts only if no other item decides the result. */
function hasOne({ entries, last }: Loop, frame: Frame, wanted: boolean): boolean {
  let failure: unknown;
  for (const _ of entries(frame)) {
    try {
      if (isTrue(last.run(frame)) === wanted) return true;
    } catch (error) {
      if (!isRecoverable(error)) throw error;
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  return false;
}

function isTrue(value: Value): boolean {
  if (typeof value !== "boolean") throw new CelError("no such overload");
  return value;
}

/** A single variable iterates over the items of a list or the keys of a map. */
function* entriesOf(value: Value, count: number): Generator<readonly [Value, Value]> {
  if (Array.isArray(value)) {
    let at = 0n;
    for (const item of value as readonly Value[]) yield [at++, item];
  } else if (value instanceof Map) {
    for (const [key, item] of value) yield [key, count === 1 ? key : item];
  } else throw new CelError("no such overload");
}
