/** Pure: the two outputs of a container, as an engine sends them through one connection. */

export interface OutputFrame {
  readonly isError: boolean;
  readonly bytes: Buffer;
}

/** Which output, three bytes of nothing, and how many bytes follow. */
const HEADER_BYTES = 8;
const STDERR = 2;

/** Keeps of each piece what belongs to a frame that is not yet whole; its bytes do not wait. */
export class OutputSplitter {
  private header = Buffer.alloc(0);
  private missing = 0;
  private isError = false;

  split(piece: Buffer): readonly OutputFrame[] {
    const frames: OutputFrame[] = [];
    let at = 0;
    while (at < piece.length) {
      if (this.missing === 0) {
        at += this.readHeader(piece, at);
        continue;
      }
      const end = Math.min(piece.length, at + this.missing);
      frames.push({ isError: this.isError, bytes: piece.subarray(at, end) });
      this.missing -= end - at;
      at = end;
    }
    return frames;
  }

  /** How many bytes of the piece were the header's. */
  private readHeader(piece: Buffer, at: number): number {
    const taken = Math.min(HEADER_BYTES - this.header.length, piece.length - at);
    this.header = Buffer.concat([this.header, piece.subarray(at, at + taken)]);
    if (this.header.length < HEADER_BYTES) return taken;
    this.isError = this.header[0] === STDERR;
    this.missing = this.header.readUInt32BE(4);
    this.header = Buffer.alloc(0);
    return taken;
  }
}
