/** Results as aligned rows: what was measured, the figure, and what it stands beside. */

export interface Row {
  readonly what: string;
  readonly value: string;
  readonly beside: string;
}

export function table(title: string, rows: readonly Row[]): void {
  const width = (pick: (row: Row) => string) => Math.max(...rows.map((row) => pick(row).length));
  const first = width(({ what }) => what);
  const second = width(({ value }) => value);
  process.stdout.write(`\n${title}\n`);
  for (const { what, value, beside } of rows) {
    process.stdout.write(`  ${what.padEnd(first)}  ${value.padStart(second)}  ${beside}\n`);
  }
}
