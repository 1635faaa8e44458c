/** Pure: the depth of an expression's tree, determined without recursion. */

import { unreachable } from "../../base/assert.ts";
import type { Node } from "./ast.ts";

/** A chain such as a + b + c is as deep as it is long, although it is not nested. */
export function isDeeper(root: Node, limit: number): boolean {
  let level: readonly Node[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap(partsOf);
  }
  return false;
}

function partsOf(node: Node): readonly Node[] {
  switch (node.op) {
    case "constant":
    case "identifier":
      return [];
    case "select":
      return [node.operand];
    case "index":
      return [node.operand, node.index];
    case "call":
      return node.target ? [node.target, ...node.arguments] : node.arguments;
    case "list":
      return node.items.map((item) => item.node);
    case "map":
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case "macro":
      return [node.range, ...node.arguments];
    default:
      return unreachable(node);
  }
}
