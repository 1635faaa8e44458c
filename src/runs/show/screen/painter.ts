/**
 * Keeps a few lines at the bottom of a terminal up to date. What is printed meanwhile goes above
 * them. The cursor is hidden while they are there, and is back whatever becomes of the process.
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

  /** Only what differs is written. */
  paint(lines: readonly string[]): void {
    if (!this.isOpen) this.open();
    else if (isSame(lines, this.shown)) return;
    const up = this.home();
    const text = lines.map((line) => `${line}${CLEAR_LINE}\n`).join("");
    const rest = lines.length < this.shown.length ? CLEAR_BELOW : "";
    this.terminal.write(`${up}${text}${rest}`);
    this.shown = lines;
  }

  /** Takes the lines away, so that something else can be printed in their place. */
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
