/**
 * Pure: the few DER values that a certificate consists of.
 *
 * DER is tag, length, contents. Every function here returns a whole value, so that a structure
 * looks in code as it does in RFC 5280.
 */

export type Der = Uint8Array;

export function sequence(...values: readonly Der[]): Der {
  return tagged(0x30, concat(values));
}

export function set(...values: readonly Der[]): Der {
  return tagged(0x31, concat(values));
}

/** The big-endian bytes of a non-negative integer. */
export function integer(bytes: Uint8Array): Der {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const shortest = bytes.subarray(start);
  // If the first bit is set, the number would be negative.
  const padded = (shortest[0] ?? 0) >= 0x80 ? concat([Uint8Array.of(0), shortest]) : shortest;
  return tagged(0x02, padded);
}

export function boolean(value: boolean): Der {
  return tagged(0x01, Uint8Array.of(value ? 0xff : 0));
}

/** "1.2.840.10045.4.3.2" */
export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap(base128);
  return tagged(0x06, Uint8Array.from(bytes));
}

export function octetString(bytes: Uint8Array): Der {
  return tagged(0x04, bytes);
}

/** `unusedBits` counts the unused bits at the end of the last byte. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Der {
  return tagged(0x03, concat([Uint8Array.of(unusedBits), bytes]));
}

export function utf8String(text: string): Der {
  return tagged(0x0c, new TextEncoder().encode(text));
}

/** Two-digit years until 2049, four digits from 2050 on, as RFC 5280 requires. Whole seconds. */
export function time(at: Date): Der {
  const digits = `${at.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`;
  const isShort = at.getUTCFullYear() < 2050;
  return tagged(isShort ? 0x17 : 0x18, new TextEncoder().encode(digits.slice(isShort ? 2 : 0)));
}

/** An explicitly tagged value [n]: it keeps its own tag inside. */
export function explicit(place: number, value: Der): Der {
  return tagged(0xa0 + place, value);
}

/** An implicitly tagged value [n]: this tag replaces its own. */
export function implicit(place: number, contents: Uint8Array): Der {
  return tagged(0x80 + place, contents);
}

function tagged(tag: number, contents: Uint8Array): Der {
  return concat([Uint8Array.of(tag, ...lengthBytes(contents.length)), contents]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift(0x80 + (rest % 128));
  }
  return bytes;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
