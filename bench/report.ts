/** Results as aligned rows: what was measured, the figure, and the comparison. */

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

/** A figure that is compared with that of another server. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  /** Digits after the decimal point; default: none. */
  readonly digits?: number;
  /** If true, larger is better; otherwise smaller is better. */
  readonly isRate?: boolean;
}

/** A ratio above 1 means that ours is better. */
export function besidePeer(ours: readonly Figure[], peer: readonly Figure[] | undefined): Row[] {
  return ours.map((figure, at) => {
    const { what, value, digits = 0, isRate } = figure;
    const other = peer?.[at];
    const shown = { what, value: value.toFixed(digits) };
    if (other === undefined || Number.isNaN(other.value)) return { ...shown, beside: "" };
    const ratio = isRate ? value / other.value : other.value / value;
    const beside = `real: ${other.value.toFixed(digits)}, ratio ${ratio.toFixed(2)}`;
    return { ...shown, beside };
  });
}
