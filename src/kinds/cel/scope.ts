/** Pure: what an expression is compiled in, and what it is evaluated in. */
import type { Node } from "./ast.ts";
import type { Functions } from "./functions.ts";
import type { Type } from "./types.ts";
import { CelError, type Steps, type Value } from "./value.ts";

export interface Frame {
  /** The variables, each at a place of its own. */
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
  /** What each part of the expression was found to be. */
  readonly types: Map<Node, Type>;
}

/** What a budget says is final. */
export function isRecoverable(error: unknown): boolean {
  return error instanceof CelError && !error.message.startsWith("operation cancelled");
}
