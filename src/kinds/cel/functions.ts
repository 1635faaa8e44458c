/** Pure: the available functions by name, and the selection of an overload for a call. */
import { type Bindings, fits, parseType, splitArguments, substitute, type Type } from "./types.ts";
import { CelError, kindOf, type Steps, type Value } from "./value.ts";

// The caller guarantees that the arguments have the types of the signature.
export type Run = (values: readonly Value[], step: Steps) => Value;

export interface Overload {
  readonly isMember: boolean;
  readonly parameters: readonly Type[];
  readonly result: Type;
  readonly run: Run;
}

export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** By signature: "string.trim(): string", "size(list<A>): int", "@optional.of(A): optional<A>". */
export interface Library {
  readonly [signature: string]: Run;
}

export function functionsOf(libraries: readonly Library[]): Functions {
  const found = new Map<string, Overload[]>();
  for (const library of libraries) {
    for (const [signature, run] of Object.entries(library)) {
      const { name, overload } = parseSignature(signature, run);
      found.set(name, [...(found.get(name) ?? []), overload]);
    }
  }
  return found;
}

const SIGNATURE = /^(?:([A-Za-z<>, ]+)\.)?(@?[^\s()]+)\((.*)\): (.+)$/;

function parseSignature(signature: string, run: Run): { name: string; overload: Overload } {
  const isSpaced = signature.startsWith("@");
  const [, receiver, name = "", list = "", result = ""] =
    (isSpaced ? /^()@(\S+?)\((.*)\): (.+)$/ : SIGNATURE).exec(signature) ?? [];
  const isMember = receiver !== undefined && receiver !== "";
  const parameters = splitArguments(list).map(parseType);
  return {
    name,
    overload: {
      isMember,
      parameters: isMember ? [parseType(receiver), ...parameters] : parameters,
      result: parseType(result),
      run,
    },
  };
}

export interface Chosen {
  readonly result: Type;
  readonly run: Run;
}

/** Undefined if no overload accepts these types. */
export function choose(
  overloads: readonly Overload[],
  isMember: boolean,
  given: readonly Type[],
): Chosen | undefined {
  const fitting: { overload: Overload; result: Type }[] = [];
  for (const overload of overloads) {
    const { parameters } = overload;
    if (overload.isMember !== isMember || parameters.length !== given.length) continue;
    const bindings: Bindings = new Map();
    const isFit = parameters.every((wanted, at) => fits(wanted, given[at] as Type, bindings));
    if (isFit) fitting.push({ overload, result: substitute(overload.result, bindings) });
  }
  const [first, ...others] = fitting;
  if (!first) return undefined;
  const isSure = others.length === 0 && !given.some(({ kind }) => kind === "dyn");
  if (isSure) return { result: first.result, run: first.overload.run };
  const candidates = fitting.map(({ overload }) => overload);
  const isSame = others.every(({ result }) => result.kind === first.result.kind);
  const result = isSame ? first.result : { kind: "dyn" };
  return { result, run: (values, step) => dispatch(candidates, values)(values, step) };
}

function dispatch(overloads: readonly Overload[], values: readonly Value[]): Run {
  for (const { parameters, run } of overloads) {
    if (parameters.every((wanted, at) => isOf(values[at] ?? null, wanted))) return run;
  }
  throw new CelError("no such overload");
}

function isOf(value: Value, { kind }: Type): boolean {
  if (kind === "dyn" || /^[A-Z]$/.test(kind)) return true;
  const actual = kindOf(value);
  return actual === kind || (kind === "object" && actual === "map");
}
