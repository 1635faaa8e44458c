/** Pure: []byte in JSON: base64 as Go's StdEncoding reads and writes it. */

/** The canonical text of the same bytes, or the offset of the first error according to Go. */
export function canonicalBase64(text: string): { readonly text: string } | { readonly at: number } {
  if (isCanonical(text)) return { text };
  const at = corruptAt(text);
  if (at !== undefined) return { at };
  // Only line breaks and stray bits in the last digit remain, which Go ignores.
  return { text: Buffer.from(text, "base64").toString("base64") };
}

const NOT_A_DIGIT = /[^A-Za-z0-9+/]/;
const LAST_GROUP =
  /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)$/;

function isCanonical(text: string): boolean {
  if (text === "") return true;
  const last = text.length - 4;
  return (
    last % 4 === 0 && LAST_GROUP.test(text.slice(last)) && !NOT_A_DIGIT.test(text.slice(0, last))
  );
}

const DIGIT = /[A-Za-z0-9+/]/;
const LINE_BREAK = /[\r\n]/;

function corruptAt(text: string): number | undefined {
  const bytes = Buffer.from(text, "utf8").toString("latin1");
  let offset = 0;
  let digits = 0;
  for (; offset < bytes.length; offset++) {
    const char = bytes.charAt(offset);
    if (LINE_BREAK.test(char)) continue;
    if (DIGIT.test(char)) digits += 1;
    else if (char === "=" && digits % 4 >= 2) return paddingCorruptAt(bytes, offset, digits % 4);
    else return offset;
  }
  // Go reports the start of the incomplete group of four, in bytes.
  return digits % 4 === 0 ? undefined : offset - (digits % 4);
}

function paddingCorruptAt(bytes: string, first: number, digits: number): number | undefined {
  let offset = skipLineBreaks(bytes, first + 1);
  if (digits === 2) {
    if (offset === bytes.length) return bytes.length;
    if (bytes.charAt(offset) !== "=") return offset - 1;
    offset = skipLineBreaks(bytes, offset + 1);
  }
  return offset < bytes.length ? offset : undefined;
}

function skipLineBreaks(bytes: string, from: number): number {
  let offset = from;
  while (offset < bytes.length && LINE_BREAK.test(bytes.charAt(offset))) offset += 1;
  return offset;
}
