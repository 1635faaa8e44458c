/** Pure: what is known of an expression while it is estimated. */
import type { Node } from "../ast.ts";
import type { Functions } from "../functions.ts";
import type { Type } from "../types.ts";
import type { Path } from "./path.ts";
import type { Bounds, EntrySize, Size } from "./size.ts";

export interface Estimate {
  readonly cost: number;
  readonly type: Type;
  readonly size?: Size;
  readonly entry?: EntrySize;
  /** Empty for what no path leads to. */
  readonly path: Path;
}

/** A variable that the expression itself names. */
export interface Local {
  readonly path: Path;
  readonly size?: Size;
  readonly entry?: EntrySize;
}

export interface Estimating {
  readonly types: ReadonlyMap<Node, Type>;
  readonly functions: Functions;
  /** Of the values of self and oldSelf. */
  readonly root: Bounds;
  readonly locals: ReadonlyMap<string, Local>;
}

/** What it takes to make one. */
export const LIST_COST = 10;
export const MAP_COST = 30;
