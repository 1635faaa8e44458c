/** Pure: splits a byte stream into frames, each preceded by its length in four bytes. */

/** No event is longer. A longer frame means that the stream is not a watch. */
export const LONGEST_FRAME = 16 * 1024 * 1024;
const HEAD = 4;

export class FrameSplitter {
  #pieces: Uint8Array[] = [];
  #length = 0;

  /** The frames that this piece completes, without their length prefixes. */
  take(piece: Uint8Array): Uint8Array[] {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length < this.#wanted()) return [];
    const all =
      this.#pieces.length === 1
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.length)
        : Buffer.concat(this.#pieces);
    const frames: Uint8Array[] = [];
    let at = 0;
    while (all.length - at >= HEAD) {
      const end = at + HEAD + lengthAt(all, at);
      if (end > all.length) break;
      frames.push(all.subarray(at + HEAD, end));
      at = end;
    }
    this.#pieces = at < all.length ? [all.subarray(at)] : [];
    this.#length = all.length - at;
    return frames;
  }

  /** Whether an incomplete frame is buffered. */
  get isWithinFrame(): boolean {
    return this.#length > 0;
  }

  /** How many bytes are needed for the next frame, as far as known. */
  #wanted(): number {
    const [first] = this.#pieces;
    return first && first.length >= HEAD ? HEAD + lengthAt(first, 0) : HEAD;
  }
}

function lengthAt(bytes: Uint8Array, at: number): number {
  const length = new DataView(bytes.buffer, bytes.byteOffset + at, HEAD).getUint32(0);
  if (length > LONGEST_FRAME) throw new Error(`a frame of more than ${LONGEST_FRAME} bytes`);
  return length;
}
