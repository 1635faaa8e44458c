/**
 * Pure: columns out of tabs. A tab ends a cell; the cells of neighbouring lines that stand in the
 * same place are one column, as wide as its widest cell and two spaces. What follows the last tab
 * of a line belongs to no column.
 */

const PADDING = 2;

export function alignTabs(lines: readonly string[]): string {
  const rows = lines.map((line) => line.split("\t"));
  const widths = rows.map((): number[] => []);
  measure(rows, widths, { from: 0, to: rows.length, column: 0 });
  return rows.map((cells, at) => `${padded(cells, widths[at] ?? [])}\n`).join("");
}

interface Block {
  readonly from: number;
  readonly to: number;
  readonly column: number;
}

/** Each run of lines that have the column is one block, within which the next one is looked at. */
function measure(rows: readonly string[][], widths: number[][], block: Block): void {
  const { to, column } = block;
  let start = block.from;
  while (start < to) {
    let end = start;
    let width = 0;
    while (end < to && column < (rows[end]?.length ?? 0) - 1) {
      width = Math.max(width, textWidth(rows[end]?.[column] ?? "") + PADDING);
      end += 1;
    }
    for (let at = start; at < end; at++) widths[at]?.push(width);
    if (end > start) measure(rows, widths, { from: start, to: end, column: column + 1 });
    start = Math.max(end, start + 1);
  }
}

function padded(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, at) => {
      const width = widths[at];
      return width === undefined ? cell : cell + " ".repeat(width - textWidth(cell));
    })
    .join("");
}

/** In characters, not in bytes and not in halves of them. */
export function textWidth(text: string): number {
  let width = 0;
  for (const _ of text) width += 1;
  return width;
}
