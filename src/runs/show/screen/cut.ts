/** Pure: fits text into the columns of a terminal. */

/** Cuts a text to a number of columns, with an ellipsis if it is too long. */
export function cut(text: string, columns: number): string {
  if (columns <= 0) return "";
  const plain = printable(text);
  if (widthOf(plain) <= columns) return plain;
  let width = 0;
  let fitting = "";
  for (const character of plain) {
    width += widthOf(character);
    if (width > columns - 1) break;
    fitting += character;
  }
  return `${fitting}…`;
}

/** Cuts or pads a text to exactly this many columns. */
export function pad(text: string, columns: number): string {
  const fitting = cut(text, columns);
  return fitting + " ".repeat(Math.max(0, columns - widthOf(fitting)));
}

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character.codePointAt(0) ?? 0);
  return width;
}

function characterWidth(code: number): number {
  if (code < 0x300) return 1;
  if (isCombining(code)) return 0;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

function isCombining(code: number): boolean {
  return (
    (code >= 0x300 && code <= 0x36f) ||
    (code >= 0x200b && code <= 0x200f) ||
    (code & ~0xf) === 0xfe00
  );
}

/** Characters that take two columns: East Asian scripts and emoji. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

/** Output of items must not move the cursor: escape codes are removed, tabs become spaces. */
export function printable(text: string): string {
  return text
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)/g, "")
    .replace(/\t/g, "  ")
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, "");
}

/** The last line that is not empty. A carriage return starts a line, as in progress bars. */
export function lastLine(text: string): string {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.findLast((line) => printable(line).trim() !== "") ?? "";
}
