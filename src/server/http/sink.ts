/** The connection of a watch, which is given only as much as its client reads. */
import type { ServerResponse } from "node:http";
import type { Contain } from "./contain.ts";
import { streamHeaders } from "./respond.ts";
import type { Holder, Unread } from "./unread.ts";
import type { Sink } from "./watch-stream.ts";

/**
 * How much is written at a time. Written bytes are in memory twice, plain and encrypted, until the
 * client has read them.
 */
const SLICE_BYTES = 32 * 1024;

export interface SinkOptions {
  readonly contain: Contain;
  readonly unread: Unread;
  readonly user: string;
}

export function sinkOf(response: ServerResponse, options: SinkOptions): Sink {
  return new ResponseSink(response, options);
}

class ResponseSink implements Sink, Holder {
  readonly user: string;
  private readonly contain: Contain;
  private readonly unread: Unread;
  /** Pending chunks. Watches share them, so that a pending chunk costs only its reference. */
  private readonly waiting: Uint8Array[] = [];
  /** How much of the first chunk has been written. */
  private offset = 0;
  private waitingBytes = 0;
  private readonly kept = new Set<object>();
  private isEnding = false;
  private whenTaken: (() => void) | undefined;

  constructor(
    private readonly response: ServerResponse,
    { contain, unread, user }: SinkOptions,
  ) {
    this.contain = contain;
    this.unread = unread;
    this.user = user;
  }

  get bufferedBytes(): number {
    return this.response.writableLength + this.waitingBytes;
  }

  begin(contentType: string, warnings: readonly string[]): void {
    const { response } = this;
    response.once("close", () => this.releaseAll());
    response.writeHead(200, streamHeaders(contentType, warnings));
    response.flushHeaders();
    response.on(
      "drain",
      this.contain(() => this.onDrain()),
    );
  }

  write(bytes: Uint8Array): void {
    if (this.response.destroyed || this.isEnding) return;
    if (this.waiting.length === 0 && bytes.length <= SLICE_BYTES) {
      this.response.write(bytes);
      return;
    }
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.unread.hold(this, bytes, bytes.length);
    if (this.waiting.length === 1) this.handOver();
  }

  /** The rest is still written in slices: all at once, it would be in memory twice. */
  end(): void {
    if (this.response.destroyed) return;
    this.isEnding = true;
    if (this.waiting.length === 0) this.response.end();
  }

  abort(): void {
    this.drop();
  }

  drop(): void {
    this.releaseAll();
    this.response.destroy();
  }

  keep(thing: object, bytes: number): void {
    if (this.response.destroyed || this.kept.has(thing)) return;
    this.kept.add(thing);
    this.unread.hold(this, thing, bytes);
  }

  letGo(thing: object): void {
    if (this.kept.delete(thing)) this.unread.release(this, thing);
  }

  onceTaken(callback: () => void): void {
    this.whenTaken = callback;
  }

  private onDrain(): void {
    this.unread.progressed(this);
    // After a last slice that leaves room, no further drain event follows.
    const isTaken = this.handOver() && this.waiting.length === 0;
    if (!isTaken || !this.whenTaken) return;
    const callback = this.whenTaken;
    this.whenTaken = undefined;
    callback();
  }

  private handOver(): boolean {
    let hasRoom = true;
    for (let first = this.waiting[0]; hasRoom && first; first = this.waiting[0]) {
      const slice = first.subarray(this.offset, this.offset + SLICE_BYTES);
      const isLast = this.offset + slice.length === first.length;
      // Copy the last part: a view of it would keep the whole event in memory, which is not counted
      // after its release.
      const isPart = isLast && this.offset > 0;
      hasRoom = this.response.write(isPart ? Buffer.from(slice) : slice);
      this.offset += slice.length;
      this.waitingBytes -= slice.length;
      if (!isLast) continue;
      this.offset = 0;
      this.waiting.shift();
      this.unread.release(this, first);
    }
    if (this.isEnding && this.waiting.length === 0) this.response.end();
    return hasRoom;
  }

  private releaseAll(): void {
    for (const chunk of this.waiting.splice(0)) this.unread.release(this, chunk);
    for (const thing of this.kept) this.unread.release(this, thing);
    this.kept.clear();
    this.waitingBytes = 0;
    this.offset = 0;
    this.whenTaken = undefined;
  }
}
