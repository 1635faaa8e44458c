/** Pure: the state of an estimation. */
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
  /** Empty if no path leads to the value. */
  readonly path: Path;
}

/** A variable that the expression itself declares. */
export interface Local {
  readonly path: Path;
  readonly size?: Size;
  readonly entry?: EntrySize;
}

export interface Estimating {
  readonly types: ReadonlyMap<Node, Type>;
  readonly functions: Functions;
  /** The bounds of self and oldSelf. */
  readonly root: Bounds;
  readonly locals: ReadonlyMap<string, Local>;
}

/** The cost of creating one. */
export const LIST_COST = 10;
export const MAP_COST = 30;
