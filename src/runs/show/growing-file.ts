/** Reads files that may not exist yet and may grow: new content, or the last lines. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";

const PIECE_BYTES = 128 * 1024;
const NEWLINE = 10;

export class GrowingFile {
  private at = 0;
  private begun = false;

  constructor(
    private readonly path: string,
    /** The first call copies only this many of the last lines. */
    private readonly tailLines?: number,
  ) {}

  /** Copies what is new, no faster than it is written. */
  async copyTo(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    const file = await open(this.path, "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (!file) return;
    try {
      if (!this.begun && this.tailLines !== undefined)
        this.at = startOfTail(file.fd, this.tailLines);
      this.begun = true;
      for (;;) {
        const piece = Buffer.allocUnsafe(PIECE_BYTES);
        const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, this.at);
        if (bytesRead === 0) return;
        this.at += bytesRead;
        await write(piece.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }
}

export function lastLines(path: string, lines: number): Buffer {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const from = startOfTail(file, lines);
    const bytes = Buffer.allocUnsafe(fstatSync(file).size - from);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
  } finally {
    closeSync(file);
  }
}

/** Reads backwards, piece by piece. A newline at the end of the file starts no line. */
function startOfTail(file: number, lines: number): number {
  const { size } = fstatSync(file);
  let left = lines;
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - PIECE_BYTES);
    const piece = Buffer.allocUnsafe(end - from);
    readSync(file, piece, 0, piece.length, from);
    for (let at = piece.length - 1; at >= 0; at--) {
      if (piece[at] !== NEWLINE || from + at === size - 1) continue;
      left--;
      if (left <= 0) return lines === 0 ? size : from + at + 1;
    }
    end = from;
  }
  return lines === 0 ? size : 0;
}
