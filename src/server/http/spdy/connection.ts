/**
 * The server's side of a SPDY connection over any byte stream: a socket or a WebSocket. The client
 * opens streams; each is a Duplex. A slow reader of one stream applies back-pressure to the whole
 * connection, so that no data accumulates here.
 */
import { Duplex } from "node:stream";
import {
  formatData,
  formatGoAway,
  formatPing,
  formatReset,
  formatSynReply,
  REFUSED_STREAM,
  type SpdyFrame,
  splitSpdy,
} from "./frames.ts";
import { emptyHeaders, HeaderReader, type SpdyHeaders } from "./headers.ts";

export interface SpdyStream extends Duplex {
  readonly headers: SpdyHeaders;
}

export interface SpdyOptions {
  /** Returning false rejects the stream. */
  readonly onStream: (stream: SpdyStream) => boolean;
  readonly mostStreams: number;
}

export class SpdyConnection {
  /** Settles when the connection has ended; rejects if the client violates the protocol. */
  readonly closed: Promise<void>;
  private readonly streams = new Map<number, Stream>();
  private readonly reader = new HeaderReader();
  private hasReplied = false;
  private lastStream = 0;

  constructor(
    private readonly carrier: Duplex,
    private readonly options: SpdyOptions,
  ) {
    carrier.on("error", () => {});
    this.closed = this.listen().finally(() => this.close());
  }

  /** Sends GOAWAY after all data that was written before. */
  close(): void {
    this.reader.close();
    for (const stream of this.streams.values()) stream.destroy();
    if (this.carrier.writable) this.carrier.end(formatGoAway(this.lastStream));
  }

  private async listen(): Promise<void> {
    let rest: Buffer = Buffer.alloc(0);
    let problem: unknown;
    try {
      for await (const piece of this.carrier) {
        try {
          const split = splitSpdy(rest, piece);
          rest = split.rest;
          for (const frame of split.frames) await this.take(frame);
        } catch (error) {
          problem = error;
          break;
        }
      }
    } catch {
      // A client that disconnects without notice is not an error.
    }
    if (problem !== undefined) throw problem;
  }

  private async take(frame: SpdyFrame): Promise<void> {
    switch (frame.type) {
      case "syn-stream":
        return this.begin(frame.stream, await this.reader.read(frame.headers), frame.isLast);
      case "headers":
        await this.reader.read(frame.headers);
        return;
      case "data":
        return this.streams.get(frame.stream)?.accept(frame.bytes, frame.isLast);
      case "reset":
        this.streams.get(frame.stream)?.destroy();
        return;
      case "ping":
        return this.send(formatPing(frame.id));
      case "go-away":
      case "other":
        return;
    }
  }

  private begin(id: number, headers: SpdyHeaders, isLast: boolean): void {
    const { mostStreams, onStream } = this.options;
    this.lastStream = id;
    const stream = new Stream(headers, {
      send: (bytes, isEnd) => this.send(formatData(id, bytes, isEnd)),
      onClose: () => this.streams.delete(id),
    });
    if (this.streams.size >= mostStreams || !onStream(stream)) {
      void this.send(formatReset(id, REFUSED_STREAM));
      return;
    }
    this.streams.set(id, stream);
    const isFirst = !this.hasReplied;
    this.hasReplied = true;
    void this.send(formatSynReply(id, emptyHeaders({ isFirst })));
    if (isLast) void stream.accept(NOTHING, true);
  }

  /** Settles when there is room for more. */
  private send(bytes: Buffer): Promise<void> {
    const { carrier } = this;
    if (!carrier.writable || carrier.write(bytes)) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        carrier.off("drain", settle);
        carrier.off("close", settle);
        resolve();
      };
      carrier.on("drain", settle);
      carrier.on("close", settle);
    });
  }
}

const NOTHING = Buffer.alloc(0);

interface StreamEvents {
  readonly send: (bytes: Buffer, isEnd: boolean) => Promise<void>;
  readonly onClose: () => void;
}

class Stream extends Duplex implements SpdyStream {
  private onRead: (() => void) | undefined;

  constructor(
    readonly headers: SpdyHeaders,
    private readonly events: StreamEvents,
  ) {
    super({ allowHalfOpen: true });
    this.on("error", () => {});
    this.once("close", () => {
      this.onRead?.();
      events.onClose();
    });
  }

  /** Settles when the reader has room for more. */
  async accept(bytes: Buffer, isLast: boolean): Promise<void> {
    if (this.destroyed) return;
    const hasRoom = bytes.length === 0 || this.push(bytes);
    if (isLast) this.push(null);
    if (hasRoom) return;
    await new Promise<void>((resolve) => {
      this.onRead = resolve;
    });
  }

  override _read(): void {
    this.onRead?.();
    this.onRead = undefined;
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    void this.events.send(bytes, false).then(done);
  }

  override _final(done: () => void): void {
    void this.events.send(NOTHING, true).then(done);
  }
}
