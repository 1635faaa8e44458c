/** Pure: recognizes macros: calls whose arguments are expressions with their own variables. */
import { ExpressionError, type MacroName, type Node } from "./ast.ts";

interface Call {
  readonly at: number;
  readonly name: string;
  readonly target?: Node;
  readonly arguments: readonly Node[];
}

/** How many variables and how many expressions a macro takes. */
const SHAPES: { readonly [name: string]: { readonly as: MacroName; readonly takes: string[] } } = {
  all: { as: "all", takes: ["1+1", "2+1"] },
  exists: { as: "exists", takes: ["1+1", "2+1"] },
  exists_one: { as: "exists_one", takes: ["1+1", "2+1"] },
  existsOne: { as: "exists_one", takes: ["1+1", "2+1"] },
  map: { as: "map", takes: ["1+1", "1+2"] },
  filter: { as: "filter", takes: ["1+1"] },
  transformList: { as: "transformList", takes: ["2+1", "2+2"] },
  transformMap: { as: "transformMap", takes: ["2+1", "2+2"] },
  transformMapEntry: { as: "transformMapEntry", takes: ["2+1", "2+2"] },
  optMap: { as: "optMap", takes: ["1+1"] },
  optFlatMap: { as: "optFlatMap", takes: ["1+1"] },
};

export function expandMacro(call: Call): Node {
  const { at, name, target, arguments: given } = call;
  if (name === "has" && !target && given.length === 1) return expandHas(given[0] as Node);
  const shape = target && Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined;
  // With three arguments, "map" has one variable and "all" has two, according to the table.
  const takes = shape?.takes.find((each) => {
    const [variables, expressions] = each.split("+").map(Number);
    return (variables ?? 0) + (expressions ?? 0) === given.length;
  });
  if (!shape || !takes || !target) {
    return { op: "call", at, name, ...(target ? { target } : {}), arguments: given };
  }
  const count = Number(takes[0]);
  const variables = given.slice(0, count).map(nameOf);
  const rest = given.slice(count);
  return { op: "macro", at, name: shape.as, range: target, variables, arguments: rest };
}

function expandHas(argument: Node): Node {
  if (argument.op !== "select" || argument.isTest) {
    throw new ExpressionError("invalid argument to has() macro", argument.at);
  }
  return { ...argument, isTest: true };
}

function nameOf(node: Node): string {
  if (node.op === "identifier") return node.name;
  throw new ExpressionError("argument is not an identifier", node.at);
}
