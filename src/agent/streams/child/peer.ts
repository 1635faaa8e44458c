/**
 * One connection from the server, in frames. Both directions wait for whoever is slower: nothing
 * that a process prints or is to read is gathered here.
 */
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { CONTROL, formatControl, formatFrame, STDIN, splitFrames } from "../frames.ts";
import type { StreamNews, StreamOrder, StreamRequest } from "../orders.ts";

/** What a stream is asked while it goes on. */
export interface Stream {
  resize(width: number, height: number): void;
  /** Nobody is there any more. */
  close(): void;
}

export interface PeerEvents {
  readonly onOrder: (order: StreamOrder | StreamRequest) => void;
  readonly onClose: () => void;
}

/** A connection that is not read from does not tell that it is closed: writing to it does. */
const LOOK_MS = 1000;

export class Peer {
  private rest: Buffer = Buffer.alloc(0);
  private readonly drained: (() => void)[] = [];
  private input: Writable | undefined;
  private readonly early: Buffer[] = [];
  private looking: NodeJS.Timeout | undefined;

  constructor(
    private readonly socket: Socket,
    events: PeerEvents,
  ) {
    socket.on("data", (piece: Buffer) => this.read(piece, events.onOrder));
    socket.on("drain", () => {
      for (const resume of this.drained.splice(0)) resume();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(this.looking);
      events.onClose();
    });
  }

  /** It does not take what it is sent, for now. */
  get isSlow(): boolean {
    return this.socket.writable && this.socket.writableNeedDrain;
  }

  tell(news: StreamNews): void {
    if (this.socket.writable) this.socket.write(formatControl(news));
  }

  /** Nothing more will be said. */
  end(news: StreamNews): void {
    if (this.socket.writable) this.socket.end(formatControl(news));
  }

  send(kind: number, bytes: Uint8Array): boolean {
    return !this.socket.writable || this.socket.write(formatFrame(kind, bytes));
  }

  /** Sends what is read, as fast as it is taken. */
  forward(kind: number, source: Readable): void {
    const onData = (bytes: Buffer): void => {
      if (this.send(kind, bytes)) return;
      source.pause();
      this.drained.push(() => source.resume());
    };
    source.on("data", onData);
    this.socket.once("close", () => {
      source.off("data", onData);
      source.resume();
    });
  }

  /** Where input goes, also what came before this was known; an empty frame is its end. */
  feed(input: Writable): void {
    this.input = input;
    const early = this.early.splice(0);
    for (const bytes of early) this.write(bytes);
    if (early.length > 0 && !input.writableNeedDrain) this.socket.resume();
    input.on("drain", () => this.listen());
    input.on("close", () => this.listen());
    // Whoever does not read to the end is not told.
    input.on("error", () => {});
  }

  private read(piece: Buffer, onOrder: PeerEvents["onOrder"]): void {
    const { frames, rest } = splitFrames(this.rest, piece);
    this.rest = rest;
    for (const { kind, bytes } of frames) {
      if (kind === CONTROL) onOrder(JSON.parse(bytes.toString("utf8")));
      else if (kind === STDIN) this.write(bytes);
    }
  }

  private write(bytes: Buffer): void {
    const { input } = this;
    if (input === undefined) {
      this.early.push(bytes);
      this.socket.pause();
      return;
    }
    if (!input.writable) return;
    if (bytes.length === 0) {
      input.end();
    } else if (!input.write(bytes)) {
      this.socket.pause();
      this.looking ??= setInterval(() => this.send(STDIN, NOTHING), LOOK_MS);
    }
  }

  private listen(): void {
    clearInterval(this.looking);
    this.looking = undefined;
    this.socket.resume();
  }
}

const NOTHING = Buffer.alloc(0);
