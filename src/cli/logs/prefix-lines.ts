/** Whole lines out of bytes that arrive in pieces, each with a word before it. */

/** A line that is longer is passed on in parts. */
const LONGEST_LINE = 1024 * 1024;
const NEW_LINE = 10;

export async function* prefixLines(
  pieces: AsyncIterable<Uint8Array>,
  prefix: string,
): AsyncIterable<Uint8Array> {
  const word = Buffer.from(prefix);
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    const end = bytes.length > LONGEST_LINE ? bytes.length : bytes.lastIndexOf(NEW_LINE) + 1;
    rest = bytes.subarray(end);
    if (end > 0) yield withPrefix(bytes.subarray(0, end), word);
  }
  if (rest.length > 0) yield withPrefix(rest, word);
}

function withPrefix(lines: Buffer, word: Buffer): Buffer {
  if (word.length === 0) return lines;
  const parts: Buffer[] = [];
  for (let start = 0; start < lines.length; ) {
    const found = lines.indexOf(NEW_LINE, start);
    const end = found < 0 ? lines.length : found + 1;
    parts.push(word, lines.subarray(start, end));
    start = end;
  }
  return Buffer.concat(parts);
}
