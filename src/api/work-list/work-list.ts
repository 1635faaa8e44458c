/**
 * Pure: a work list: named parameters and, for each index of a Job, a value of each.
 *
 * Reading order of the folder: this file; names (annotations and labels); stored-list (a list as
 * objects) with item-history; opened-list and items (objects back to items). Controllers, the agent
 * and commands share it, so that it is part of the API.
 */

export interface WorkList {
  /** Valid names of shell variables. */
  readonly parameters: readonly string[];
  /** By parameter, then by index. All columns have the same length. */
  readonly columns: readonly (readonly string[])[];
  /** Parameters computed from others. They do not identify an item. */
  readonly derived?: readonly string[];
  /** Whether each value is a batch: several values, one per line. */
  readonly isBatched?: true;
}

/** The parameter of a list whose values have no name. */
export const ITEM_PARAMETER = "ITEM";
/** A list has to fit in memory. */
export const MAX_ITEMS = 10_000_000;

export function itemCount({ columns: [first = []] }: WorkList): number {
  return first.length;
}

/** The values at an index, in the order of the parameters. */
export function valuesAt({ columns }: WorkList, index: number): readonly string[] {
  return columns.map((column) => column[index] ?? "");
}

/** The name of an item for people: "banana.txt", or "FRUIT=apple COLOR=green". */
export function itemName({ parameters, derived, isBatched }: ListShape, values: Values): string {
  const parts: string[] = [];
  const own = parameters.length - (derived?.length ?? 0);
  parameters.forEach((parameter, at) => {
    if (derived?.includes(parameter)) return;
    const value = oneLine(values[at] ?? "", isBatched === true);
    parts.push(own === 1 ? value : `${parameter}=${value}`);
  });
  return shortened(parts.join(" "));
}

/** A list without its items. */
export type ListShape = Pick<WorkList, "parameters" | "derived" | "isBatched">;

/** The values of one item, in the order of the parameters. */
export type Values = readonly string[];

/** The values of a batch. */
export function splitBatch(value: string): readonly string[] {
  return value.split("\n");
}

export function joinBatch(values: readonly string[]): string {
  return values.join("\n");
}

/** Valid names of shell variables; Kubernetes accepts them as well. */
export function isParameterName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

const LONGEST_NAME = 120;
const WHOLE_BATCH = 3;

function oneLine(value: string, isBatch: boolean): string {
  if (!isBatch) return printable(value);
  const values = splitBatch(value);
  if (values.length <= WHOLE_BATCH) return printable(values.join(" "));
  return printable(`${values[0]} … ${values.at(-1)} (${values.length})`);
}

/** A value with control characters is written as JSON, so that it stays on one line. */
function printable(value: string): string {
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value) ? JSON.stringify(value) : value;
}

function shortened(text: string): string {
  if (text.length <= LONGEST_NAME) return text;
  const letters = [...text.slice(0, LONGEST_NAME * 2)];
  return letters.length <= LONGEST_NAME ? text : `${letters.slice(0, LONGEST_NAME - 1).join("")}…`;
}
