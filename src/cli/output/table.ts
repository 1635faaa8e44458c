/** Pure: the tables of a server as lines of text. */
import { terminalText } from "../../base/terminal-text.ts";
import { textWidth } from "../../command/tabbed-text.ts";

/** meta.k8s.io/v1 Table, as far as it is printed. */
export interface WireTable {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  /** Null in the events of a watch: as they were before. */
  readonly columnDefinitions?: readonly ColumnDefinition[] | null;
  readonly rows?: readonly TableRow[] | null;
}

export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly priority?: number;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object?: { readonly metadata?: RowMetadata };
}

export interface RowMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: { readonly [key: string]: string };
}

export interface TableOptions {
  readonly isWide?: boolean;
  readonly hasHeaders?: boolean;
  readonly withNamespace?: boolean;
  readonly withLabels?: boolean;
  /** One column each. */
  readonly labelColumns?: readonly string[];
  /** Put before each name: "job.batch/". */
  readonly namePrefix?: string;
}

const SMALLEST_WIDTH = 6;
const PADDING = 3;

/** Prints table after table: headers once, columns that never become narrower. */
export class TablePrinter {
  #columns: readonly ColumnDefinition[] = [];
  #widths: number[] = [];
  #hasHeaders = false;

  constructor(readonly options: TableOptions) {}

  /** The lines that belong together: their columns are as wide as the widest of them all. */
  print(tables: readonly WireTable[]): string {
    const lines = tables.flatMap((table) => this.#linesOf(table));
    for (const line of lines) {
      for (const [at, cell] of line.slice(0, -1).entries()) {
        const wanted = Math.max(SMALLEST_WIDTH, textWidth(cell) + PADDING);
        this.#widths[at] = Math.max(this.#widths[at] ?? 0, wanted);
      }
    }
    return lines.map((line) => `${this.#padded(line)}\n`).join("");
  }

  #linesOf({ columnDefinitions, rows }: WireTable): string[][] {
    if (columnDefinitions && columnDefinitions.length > 0) {
      if (!isSame(columnDefinitions, this.#columns)) this.#hasHeaders = false;
      this.#columns = columnDefinitions;
    }
    if (!rows || rows.length === 0) return [];
    const lines = rows.map((row) => rowCells(row, this.#columns, this.options));
    const needsHeaders = this.options.hasHeaders !== false && !this.#hasHeaders;
    this.#hasHeaders = true;
    return needsHeaders ? [headerCells(this.#columns, this.options), ...lines] : lines;
  }

  #padded(line: readonly string[]): string {
    return line
      .map((cell, at) => {
        if (at === line.length - 1) return cell;
        return cell + " ".repeat((this.#widths[at] ?? 0) - textWidth(cell));
      })
      .join("");
  }
}

function isSame(one: readonly ColumnDefinition[], other: readonly ColumnDefinition[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function headerCells(columns: readonly ColumnDefinition[], options: TableOptions): string[] {
  return [
    ...(options.withNamespace ? ["NAMESPACE"] : []),
    ...columns.filter(shownIn(options)).map(({ name }) => name.toUpperCase()),
    ...(options.labelColumns ?? []).map((label) => label.split("/").at(-1)?.toUpperCase() ?? ""),
    ...(options.withLabels ? ["LABELS"] : []),
  ];
}

function shownIn({ isWide }: TableOptions) {
  return ({ priority = 0 }: ColumnDefinition) => isWide === true || priority === 0;
}

function rowCells(
  { cells, object }: TableRow,
  columns: readonly ColumnDefinition[],
  options: TableOptions,
): string[] {
  const { namePrefix = "" } = options;
  const isShown = shownIn(options);
  const { namespace = "", labels = {} } = object?.metadata ?? {};
  const shown = columns.flatMap((column, at) => {
    if (!isShown(column)) return [];
    const text = cellText(cells[at]);
    return [column.format === "name" ? `${namePrefix}${text}` : text];
  });
  return [
    ...(options.withNamespace ? [namespace] : []),
    ...shown,
    ...(options.labelColumns ?? []).map((label) => labels[label] ?? ""),
    ...(options.withLabels ? [formatLabelCell(labels)] : []),
  ];
}

/** Of several lines the first one, and a sign that there are more. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "string") return terminalText(String(cell));
  const end = cell.search(/[\f\n\r]/);
  return end < 0 ? terminalText(cell) : `${terminalText(cell.slice(0, end))}...`;
}

function formatLabelCell(labels: { readonly [key: string]: string }): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}
