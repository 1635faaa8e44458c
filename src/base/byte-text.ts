/**
 * Pure: converts bytes that may not be UTF-8 to text, and back without loss. A byte that is not
 * part of a character becomes a lone surrogate, U+DC80 to U+DCFF, as in Python's "surrogateescape".
 * Such a text survives JSON unchanged, because JSON writes lone surrogates as escapes.
 */

const FIRST = 0xdc00;
const ESCAPED = /(?<![\ud800-\udbff])[\udc80-\udcff]/;
const ESCAPED_RUNS = /((?:(?<![\ud800-\udbff])[\udc80-\udcff])+)/;

export function textOfBytes(bytes: Uint8Array): string {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = whole.toString("utf8");
  // A replacement character may also be in the input itself: only then check each byte.
  return text.includes("\ufffd") ? decode(whole) : text;
}

export function bytesOfText(text: string): Buffer {
  if (!hasEscapedBytes(text)) return Buffer.from(text, "utf8");
  const pieces = text.split(ESCAPED_RUNS).map((piece, at) => {
    if (at % 2 === 0) return Buffer.from(piece, "utf8");
    return Buffer.from(Array.from(piece, (each) => each.charCodeAt(0) - FIRST));
  });
  return Buffer.concat(pieces);
}

/** Whether encoding the text as UTF-8 would not restore the original bytes. */
export function hasEscapedBytes(text: string): boolean {
  return ESCAPED.test(text);
}

function decode(bytes: Buffer): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) text += String.fromCharCode(FIRST + (bytes[at] ?? 0));
    else text += bytes.toString("utf8", at, at + length);
    at += Math.max(1, length);
  }
  return text;
}

/** In bytes; 0 if no UTF-8 character starts here. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const piece = bytes.subarray(at, at + length);
  return Buffer.from(piece.toString("utf8"), "utf8").equals(piece) ? length : 0;
}
