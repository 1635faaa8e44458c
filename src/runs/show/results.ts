/** Pure: formats the results of items as CSV or JSON. */
import type { Values } from "../../api/work-list/work-list.ts";
import { type ItemResult, secondsOf } from "./item-result.ts";

export const RESULT_FORMATS = ["csv", "json", "jsonl"] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

export interface ResultRow {
  readonly result: ItemResult;
  /** In the order of the parameters; undefined without a list. */
  readonly values: Values | undefined;
  readonly log: string | undefined;
}

/** The text before the rows, of each row, and after them. */
export interface ResultWriter {
  readonly head: string;
  row(row: ResultRow, isFirst: boolean): string;
  readonly tail: string;
}

export function resultWriter(format: ResultFormat, parameters: readonly string[]): ResultWriter {
  switch (format) {
    case "csv":
      return csvWriter(parameters);
    case "json":
      return {
        head: "[",
        row: (row, isFirst) =>
          `${isFirst ? "\n" : ",\n"}${JSON.stringify(record(row, parameters))}`,
        tail: "\n]\n",
      };
    case "jsonl":
      return { head: "", row: (row) => `${JSON.stringify(record(row, parameters))}\n`, tail: "" };
  }
}

const COLUMNS = ["item", "index", "state", "attempts", "exit", "seconds", "log"];

/** If an item has several values, each has its own column as well. */
function csvWriter(parameters: readonly string[]): ResultWriter {
  const further = parameters.length > 1 ? parameters : [];
  return {
    head: `${[...COLUMNS, ...further].map(csvField).join(",")}\n`,
    row: ({ result, values, log }) => {
      const { index, state, attempts, exitCode } = result;
      const cells = [
        itemText(result, values),
        index,
        state,
        attempts,
        exitCode,
        secondsOf(result),
        log,
        ...further.map((_, at) => values?.[at]),
      ];
      return `${cells.map(csvField).join(",")}\n`;
    },
    tail: "",
  };
}

/** The name of an item may be shortened; a single value is written in full. */
function itemText({ item }: ItemResult, values: Values | undefined): string | undefined {
  return values?.length === 1 ? values[0] : item;
}

/** Quoted as in RFC 4180. */
export function csvField(value: string | number | undefined): string {
  if (value === undefined) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) || /^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function record({ result, values, log }: ResultRow, parameters: readonly string[]): object {
  const { index, state, attempts, exitCode, signal, reason, startMs, endMs } = result;
  return {
    ...optional("item", itemText(result, values)),
    index,
    ...(values && parameters.length > 1 ? { values: named(parameters, values) } : {}),
    state,
    attempts,
    ...optional("exit", exitCode),
    ...optional("signal", signal),
    ...optional("reason", reason),
    ...optional("seconds", secondsOf(result)),
    ...optional("start", startMs === undefined ? undefined : new Date(startMs).toISOString()),
    ...optional("end", endMs === undefined ? undefined : new Date(endMs).toISOString()),
    ...optional("log", log),
  };
}

function named(parameters: readonly string[], values: Values): object {
  return Object.fromEntries(parameters.map((parameter, at) => [parameter, values[at] ?? ""]));
}

function optional(name: string, value: string | number | undefined): object {
  return value === undefined ? {} : { [name]: value };
}
