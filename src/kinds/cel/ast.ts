/** Pure: the syntax tree of an expression. */
import type { Value } from "./value.ts";

export type Node =
  | { readonly op: "constant"; readonly at: number; readonly value: Value; readonly type: string }
  | { readonly op: "identifier"; readonly at: number; readonly name: string }
  | {
      readonly op: "select";
      readonly at: number;
      readonly operand: Node;
      readonly field: string;
      /** ".?field" */
      readonly isOptional: boolean;
      /** has(operand.field) */
      readonly isTest: boolean;
    }
  | {
      readonly op: "index";
      readonly at: number;
      readonly operand: Node;
      readonly index: Node;
      readonly isOptional: boolean;
    }
  | {
      readonly op: "call";
      readonly at: number;
      /** "_+_" for an operator. */
      readonly name: string;
      readonly target?: Node;
      readonly arguments: readonly Node[];
    }
  | { readonly op: "list"; readonly at: number; readonly items: readonly ListItem[] }
  | { readonly op: "map"; readonly at: number; readonly entries: readonly MapEntry[] }
  | {
      readonly op: "macro";
      readonly at: number;
      readonly name: MacroName;
      readonly range: Node;
      readonly variables: readonly string[];
      readonly arguments: readonly Node[];
    };

export interface ListItem {
  readonly node: Node;
  readonly isOptional: boolean;
}

export interface MapEntry {
  readonly key: Node;
  readonly value: Node;
  readonly isOptional: boolean;
}

export const MACROS = [
  "all",
  "exists",
  "exists_one",
  "map",
  "filter",
  "transformList",
  "transformMap",
  "transformMapEntry",
  "optMap",
  "optFlatMap",
] as const;

export type MacroName = (typeof MACROS)[number];

/** An error in an expression, with its position. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** Formats the error with line and column, like cel-go. */
export function formatError({ message, at }: ExpressionError, source: string): string {
  const before = source.slice(0, at).split("\n");
  const column = [...(before.at(-1) ?? "")].length;
  const line = source.split("\n")[before.length - 1] ?? "";
  const place = `ERROR: <input>:${before.length}:${column + 1}: ${message}`;
  return `${place}\n | ${line}\n | ${".".repeat(column)}^`;
}
