/** The headers of SPDY streams: names and values, compressed as one stream per connection. */
import { createInflate, type Inflate } from "node:zlib";
import { ClientFault } from "../stream-errors.ts";
import { headerDictionary } from "./dictionary.ts";

export type SpdyHeaders = ReadonlyMap<string, string>;

/** Stream headers contain a port or a type. A longer block is rejected. */
const LONGEST_BLOCK_BYTES = 64 * 1024;

export class HeaderReader {
  private readonly inflate: Inflate = createInflate({ dictionary: headerDictionary() });
  private readonly pieces: Buffer[] = [];
  private heldBytes = 0;
  private onFailure: ((error: Error) => void) | undefined;

  constructor() {
    this.inflate.on("data", (piece: Buffer) => this.keep(piece));
    this.inflate.on("error", (error) => this.onFailure?.(error));
  }

  /** Blocks must be read one at a time, in order. */
  async read(block: Buffer): Promise<SpdyHeaders> {
    await new Promise<void>((resolve, reject) => {
      this.onFailure = (cause) => reject(new ClientFault("broken SPDY headers", { cause }));
      this.inflate.write(block, () => resolve());
    });
    if (this.heldBytes > LONGEST_BLOCK_BYTES) throw new ClientFault("SPDY headers are too long");
    this.heldBytes = 0;
    return parseHeaders(Buffer.concat(this.pieces.splice(0)));
  }

  /** A megabyte can decompress to a thousand, so decompression stops at the limit. */
  private keep(piece: Buffer): void {
    this.heldBytes += piece.length;
    if (this.heldBytes <= LONGEST_BLOCK_BYTES) this.pieces.push(piece);
    else this.inflate.destroy();
  }

  close(): void {
    this.inflate.destroy();
  }
}

function parseHeaders(bytes: Buffer): SpdyHeaders {
  let at = 0;
  const text = (): string => {
    const length = bytes.readUInt32BE(at);
    at += 4 + length;
    return bytes.toString("latin1", at - length, at);
  };
  const headers = new Map<string, string>();
  const count = bytes.readUInt32BE(at);
  at += 4;
  for (let each = 0; each < count; each++) headers.set(text().toLowerCase(), text());
  return headers;
}

/**
 * The server sends no headers. An empty list is one stored block, which needs no compressor. The
 * first one of a connection is preceded by the zlib header.
 */
export function emptyHeaders({ isFirst }: { readonly isFirst: boolean }): Buffer {
  return isFirst ? Buffer.concat([ZLIB_BEGINNING, EMPTY_BLOCK]) : EMPTY_BLOCK;
}

const ZLIB_BEGINNING = Buffer.from([0x78, 0x01]);
/**
 * A stored block of four bytes with its complement, containing a count of zero, followed by an
 * empty block. The empty block makes the reader flush: without it Go's reader waits for more and
 * fails.
 */
const EMPTY_BLOCK = Buffer.from([0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
