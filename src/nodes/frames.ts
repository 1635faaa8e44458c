/** Pure: the frames that carry the input and output of a command over one connection. */

/** The first byte of a frame. It is followed by four bytes with the length. */
export const CHANNEL = {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  /** The result of the command, as JSON. */
  end: 3,
  /** The size of the terminal, as JSON. */
  resize: 4,
  stdinEnd: 5,
} as const;

const HEADER_BYTES = 5;
/** The maximum length of a frame. It limits the memory that a peer can make the other side use. */
export const MAX_FRAME_BYTES = 1024 * 1024;

export interface Frame {
  readonly channel: number;
  readonly payload: Buffer;
}

export function encodeFrame(channel: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + payload.length);
  bytes.writeUInt8(channel, 0);
  bytes.writeUInt32BE(payload.length, 1);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** Assembles whole frames from pieces. */
export class FrameReader {
  private rest: Buffer = Buffer.alloc(0);

  /** Throws if a frame is longer than MAX_FRAME_BYTES. */
  read(piece: Buffer): readonly Frame[] {
    this.rest = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    const frames: Frame[] = [];
    while (this.rest.length >= HEADER_BYTES) {
      const length = this.rest.readUInt32BE(1);
      if (length > MAX_FRAME_BYTES) throw new Error(`a frame of ${length} bytes`);
      if (this.rest.length < HEADER_BYTES + length) break;
      const payload = this.rest.subarray(HEADER_BYTES, HEADER_BYTES + length);
      frames.push({ channel: this.rest.readUInt8(0), payload });
      this.rest = this.rest.subarray(HEADER_BYTES + length);
    }
    return frames;
  }
}
