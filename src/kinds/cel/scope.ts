/** Pure: the context in which an expression is compiled, and the one in which it is evaluated. */
import type { Node } from "./ast.ts";
import type { Functions } from "./functions.ts";
import type { Type } from "./types.ts";
import { CelError, type Steps, type Value } from "./value.ts";

export interface Frame {
  /** The variables, each in its own slot. */
  readonly slots: Value[];
  readonly step: Steps;
}

export interface Compiled {
  readonly type: Type;
  readonly run: (frame: Frame) => Value;
}

export interface Variable {
  readonly slot: number;
  readonly type: Type;
}

export interface Scope {
  readonly variables: ReadonlyMap<string, Variable>;
  readonly functions: Functions;
  readonly nextSlot: number;
  /** The type of each part of the expression. */
  readonly types: Map<Node, Type>;
}

/** False if the budget is exhausted: such an error always ends the evaluation. */
export function isRecoverable(error: unknown): boolean {
  return error instanceof CelError && !error.message.startsWith("operation cancelled");
}
