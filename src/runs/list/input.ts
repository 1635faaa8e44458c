/** Pure: decodes files and stdin. Only UTF-8 is accepted: other bytes could not be passed on. */
import { UsageError } from "../../base/usage-error.ts";

/** Bytes, with the name of their source for errors. */
export interface Input {
  readonly source: string;
  readonly bytes: Uint8Array;
}

/** Text, with the name of its source. */
export interface SourceText {
  readonly source: string;
  readonly text: string;
}

export function decodeInput({ source, bytes }: Input): SourceText {
  try {
    return { source, text: decode(bytes) };
  } catch {
    const { line, byte } = findInvalid(bytes);
    throw new UsageError(`${at(source, line)}, byte ${byte}: this is not UTF-8`);
  }
}

/** How errors name a line: "fruits.txt, line 3". */
export function at(source: string, line: number): string {
  return `${source}, line ${line}`;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

const NEWLINE = 10;

/** Line and byte count from 1; the byte is counted within its line. */
function findInvalid(bytes: Uint8Array): { readonly line: number; readonly byte: number } {
  let line = 1;
  let start = 0;
  for (;;) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found === -1 ? bytes.length : found;
    if (!isText(bytes.subarray(start, end)) || found === -1) break;
    start = end + 1;
    line++;
  }
  return { line, byte: firstInvalidByte(bytes.subarray(start)) };
}

/** The first byte of the first invalid character. */
function firstInvalidByte(bytes: Uint8Array): number {
  let position = 0;
  while (position < bytes.length) {
    const length = lengthOf(bytes[position] ?? 0);
    if (!isText(bytes.subarray(position, position + length))) return position + 1;
    position += length;
  }
  return position + 1;
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

function isText(bytes: Uint8Array): boolean {
  try {
    decode(bytes);
    return true;
  } catch {
    return false;
  }
}
