/**
 * Updates a few lines at the bottom of a terminal; other output is printed above them. The cursor
 * is hidden meanwhile, and always restored on exit.
 */

export interface PaintedTerminal {
  readonly write: (text: string) => void;
}

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const CLEAR_BELOW = "\u001b[J";
const CLEAR_LINE = "\u001b[K";

export class Painter {
  private shown: readonly string[] = [];
  private isOpen = false;
  private readonly restore = () => this.terminal.write(SHOW_CURSOR);

  constructor(private readonly terminal: PaintedTerminal) {}

  /** Writes nothing if the lines have not changed. */
  paint(lines: readonly string[]): void {
    if (!this.isOpen) this.open();
    else if (isSame(lines, this.shown)) return;
    const up = this.home();
    const text = lines.map((line) => `${line}${CLEAR_LINE}\n`).join("");
    const rest = lines.length < this.shown.length ? CLEAR_BELOW : "";
    this.terminal.write(`${up}${text}${rest}`);
    this.shown = lines;
  }

  /** Removes the lines, so that other output can be printed in their place. */
  clear(): void {
    if (this.shown.length === 0) return;
    this.terminal.write(`${this.home()}${CLEAR_BELOW}`);
    this.shown = [];
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.clear();
    process.off("exit", this.restore);
    this.restore();
  }

  private open(): void {
    this.isOpen = true;
    process.on("exit", this.restore);
    this.terminal.write(HIDE_CURSOR);
  }

  private home(): string {
    return this.shown.length === 0 ? "" : `\r\u001b[${this.shown.length}A`;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}
