/** Pure: compiles and evaluates an expression given as text. */
import { ExpressionError, formatError } from "./ast.ts";
import { compile } from "./compile.ts";
import { estimate } from "./cost/estimate.ts";
import type { Bounds } from "./cost/size.ts";
import { kubernetesFunctions } from "./library/kubernetes.ts";
import { parseExpression } from "./parser.ts";
import type { Scope } from "./scope.ts";
import { fits, type Type } from "./types.ts";
import { CelError, type Value } from "./value.ts";

export interface Expression {
  readonly type: Type;
  /** The variables that it uses. */
  readonly uses: ReadonlySet<string>;
  /** The maximum cost, if its variables are within the bounds. */
  worstCost(bounds: Bounds): number;
  /** Throws CelError. */
  evaluate(values: readonly Value[], budget: Budget): Value;
}

/** The remaining number of steps for evaluations. */
export interface Budget {
  left: number;
}

/** The limit for a single evaluation, even if the budget has more. */
const MAX_STEPS = 1_000_000;

export type CompiledExpression =
  | { readonly expression: Expression }
  /** The error with its position and the line of the source. */
  | { readonly problem: string };

/** The values are later given in the order of the variables. */
export function compileExpression(
  source: string,
  variables: readonly (readonly [string, Type])[],
  wanted?: Type,
): CompiledExpression {
  try {
    const uses = new Set<string>();
    const node = parseExpression(source);
    const scope: Scope = {
      variables: noted(
        new Map(variables.map(([name, type], slot) => [name, { slot, type }])),
        uses,
      ),
      functions: kubernetesFunctions(),
      nextSlot: variables.length,
      types: new Map(),
    };
    const { type, run } = compile(node, scope);
    if (wanted && !fits(wanted, type, new Map()))
      return { problem: `cel expression must evaluate to a ${wanted.kind}` };
    const { types, functions } = scope;
    const worstCost = (root: Bounds) =>
      estimate(node, { types, functions, root, locals: new Map() }).cost;
    return { expression: { type, uses, worstCost, evaluate: evaluator(run) } };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { problem: `compilation failed: ${formatError(error, source)}` };
  }
}

/** Records which variables are looked up. Variables of macros are copies and record nothing. */
function noted(
  variables: Map<string, { slot: number; type: Type }>,
  uses: Set<string>,
): Scope["variables"] {
  for (const [name, variable] of variables) {
    const { slot, type } = variable;
    const watched = {
      type,
      get slot() {
        uses.add(name);
        return slot;
      },
    };
    variables.set(name, watched);
  }
  return variables;
}

function evaluator(run: (frame: { slots: Value[]; step: (count: number) => void }) => Value) {
  return (values: readonly Value[], budget: Budget): Value => {
    let left = Math.min(MAX_STEPS, budget.left);
    const before = left;
    const step = (count: number) => {
      left -= count;
      if (left < 0) throw new CelError("operation cancelled: actual cost limit exceeded");
    };
    try {
      return run({ slots: [...values], step });
    } finally {
      budget.left -= before - left;
    }
  };
}
