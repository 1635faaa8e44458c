/**
 * Pure: a work list: named parameters and, for each index of a Job, a value of each.
 *
 * Reading order of the folder: this file; sources/, which make lists of what people have;
 * run-request with compose-run, which turn a request into a Job; substitute, failure-rules and
 * stored-list, which it is made with; script, for clusters that know nothing of work lists; resume.
 * Nothing here reads a file, and nothing knows who creates the objects.
 */

export interface WorkList {
  /** Names that a shell can use. */
  readonly parameters: readonly string[];
  /** By parameter, then by index. All are equally long. */
  readonly columns: readonly (readonly string[])[];
  /** The parameters that are worked out from others: they are no part of what an item is. */
  readonly derived?: readonly string[];
  /** Whether each value is a batch: several values, each on a line of its own. */
  readonly isBatched?: true;
}

/** The parameter of lists whose values have no name of their own. */
export const ITEM_PARAMETER = "ITEM";
/** Far more than anybody waits for, and few enough to be held. */
export const MAX_ITEMS = 10_000_000;

export function itemCount({ columns: [first = []] }: WorkList): number {
  return first.length;
}

/** The values at an index, in the order of the parameters. */
export function valuesAt({ columns }: WorkList, index: number): readonly string[] {
  return columns.map((column) => column[index] ?? "");
}

/** How an item is called where people read of it: "banana.txt", or "FRUIT=apple COLOR=green". */
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

/** Of one item, in the order of the parameters. */
export type Values = readonly string[];

/** The values of a batch. */
export function splitBatch(value: string): readonly string[] {
  return value.split("\n");
}

export function joinBatch(values: readonly string[]): string {
  return values.join("\n");
}

/** Names a shell can read, which Kubernetes takes, too. */
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

/** What would break a line, or a terminal, is written as JSON writes it. */
function printable(value: string): string {
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value) ? JSON.stringify(value) : value;
}

function shortened(text: string): string {
  if (text.length <= LONGEST_NAME) return text;
  const letters = [...text.slice(0, LONGEST_NAME * 2)];
  return letters.length <= LONGEST_NAME ? text : `${letters.slice(0, LONGEST_NAME - 1).join("")}…`;
}
