/**
 * Pure: what the server and the child that holds streams say to each other: frames of a kind, a
 * length and as many bytes. Orders and news are JSON, the rest is what processes read and print.
 */

export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;
export const CONTROL = 3;

export interface Frame {
  readonly kind: number;
  readonly bytes: Buffer;
}

const HEAD_BYTES = 5;
/** Nobody sends more at once: a length beyond it is no frame of ours. */
const LONGEST_FRAME_BYTES = 16 * 1024 * 1024;

export function formatFrame(kind: number, bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + bytes.length);
  frame.writeUInt8(kind, 0);
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, HEAD_BYTES);
  return frame;
}

export function formatControl(message: object): Buffer {
  return formatFrame(CONTROL, Buffer.from(JSON.stringify(message)));
}

/** The whole frames in what has arrived, and what is left for the next piece. */
export function splitFrames(kept: Buffer, piece: Buffer): { frames: Frame[]; rest: Buffer } {
  let rest = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
  const frames: Frame[] = [];
  while (rest.length >= HEAD_BYTES) {
    const length = rest.readUInt32BE(1);
    if (length > LONGEST_FRAME_BYTES) throw new Error(`a frame of ${length} bytes`);
    if (rest.length < HEAD_BYTES + length) break;
    const bytes = rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
    frames.push({ kind: rest.readUInt8(0), bytes });
    rest = rest.subarray(HEAD_BYTES + length);
  }
  return { frames, rest };
}
