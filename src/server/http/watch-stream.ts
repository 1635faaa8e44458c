/**
 * Sends a watch down a connection: the initial objects, then changes as they become durable,
 * bookmarks now and then, until the client, the timeout or the server ends it.
 *
 * A client that reads slower than things happen has little encoded for it ahead: the stream stops
 * listening to the store and goes on from where it was when there is room again. Should the store
 * have forgotten that by then, the client is told to start over.
 */
import { ApiError } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { Change, Store, Subscription } from "../../store/types.ts";
import type { WatchBatch } from "../verbs/watch.ts";
import type { WatchAnswer } from "./answer.ts";
import { type FanOut, type Telling, WRITE_BYTES } from "./fan-out.ts";
import { type EventType, type WatchEncoder, watchEncoder } from "./watch-encode.ts";

/** The connection, as far as a watch is concerned. */
export interface Sink {
  begin(contentType: string, warnings: readonly string[]): void;
  write(bytes: Uint8Array): void;
  end(): void;
  /** Drops the connection: the client must notice that it missed something. */
  abort(): void;
  /** Bytes handed over and not yet taken by the client. */
  readonly bufferedBytes: number;
  /** Calls back when the client has taken all of them; asked for only where there are many. */
  onceTaken(callback: () => void): void;
}

export interface WatchEnvironment {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** What may wait for a client before nothing more is encoded for it. */
const ROOM_BYTES = 64 * 1024;
const BOOKMARK_INTERVAL_MS = 60_000;
const MIN_TIMEOUT_MS = 30 * 60_000;
/** More than this at once is the past of one watch, which nobody shares. */
const SHARED_CHANGES = 1000;
/** Whoever has more to be told hears no more of it until that is done. */
const MOST_HEARD = 1000;

const batches = new WeakMap<readonly Change[], Map<string, Uint8Array>>();

function sharedBytes(
  changes: readonly Change[],
  form: string,
  encode: () => Uint8Array,
): Uint8Array {
  const forms = batches.get(changes) ?? new Map<string, Uint8Array>();
  batches.set(changes, forms);
  const bytes = forms.get(form) ?? encode();
  forms.set(form, bytes);
  return bytes;
}

/** To find that there is nothing to tell takes as long as so many bytes. */
const NOTHING_BYTES = 512;

/** Each watch is told when it hears. */
const AT_ONCE = { enter: (watch: Telling) => void watch.tell() };

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

interface Told {
  readonly type: EventType;
  readonly object: KubeObject;
}

interface Heard {
  readonly batch: WatchBatch;
  /** Of before the watch began to listen: each watch has another past, and tells it by and by. */
  readonly isPast: boolean;
}

export class WatchStream implements Telling {
  private readonly encoder: WatchEncoder;
  private readonly timers: Timer[] = [];
  private subscription: Subscription | undefined;
  /** What waits for its turn to be told, and how many changes that is. */
  private heard: Heard[] = [];
  private heardChanges = 0;
  private isListening = false;
  /** What is being told, from its position on. */
  private waiting: readonly Told[] = [];
  private position = 0;
  /** All up to here was told, or is about to be. */
  private revision: number;
  private owesInitialEnd: boolean;
  private isFull = false;
  private closed = false;

  constructor(
    private readonly environment: WatchEnvironment,
    private readonly answer: WatchAnswer,
    private readonly sink: Sink,
    private readonly fanOut: Pick<FanOut, "enter"> = AT_ONCE,
  ) {
    this.encoder = watchEncoder(answer, () => new Date(environment.clock.nowMs()));
    this.revision = answer.watching.revision;
    this.owesInitialEnd = answer.watching.marksInitialEnd;
  }

  /** Call once what the initial objects show is durable. */
  start(): void {
    this.sink.begin(this.encoder.contentType, this.answer.warnings ?? []);
    this.scheduleEnd();
    if (this.answer.bookmarks) this.scheduleBookmark();
    this.waiting = this.answer.watching.initial.map((object) => ({ type: "ADDED", object }));
    this.goOn();
  }

  /** Stops sending; the connection is the caller's to close. */
  close(): void {
    this.closed = true;
    this.waiting = [];
    this.heard = [];
    this.subscription?.close();
    for (const timer of this.timers) timer.cancel();
  }

  /** Ends the stream the way a timeout does: the client may go on from where it was. */
  finish(): void {
    if (this.closed) return;
    this.close();
    this.sink.end();
  }

  /** Tells what is waiting as long as there is room, then listens again. */
  private goOn(): void {
    this.tellWaiting();
    if (this.closed || this.isFull) return;
    if (this.owesInitialEnd) {
      this.owesInitialEnd = false;
      this.sink.write(this.encoder.bookmark(this.answer.watching.revision, true));
    }
    if (this.sink.bufferedBytes > ROOM_BYTES) this.rest();
    else if (!this.subscription) this.listen();
  }

  private tellWaiting(): number {
    let written = 0;
    while (!this.closed && this.position < this.waiting.length) {
      if (this.sink.bufferedBytes > ROOM_BYTES) {
        this.rest();
        return written;
      }
      const some = this.encodeSome();
      written += some.length;
      this.sink.write(some);
    }
    this.waiting = [];
    this.position = 0;
    return written;
  }

  private encodeSome(): Uint8Array {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    while (bytes < ROOM_BYTES) {
      const told = this.waiting[this.position];
      if (!told) break;
      this.position++;
      const chunk = this.encoder.event(told.type, told.object);
      bytes += chunk.length;
      chunks.push(chunk);
    }
    return joined(chunks);
  }

  /** Nothing is kept for a client that does not read but what it has been sent. */
  private rest(): void {
    this.subscription?.close();
    this.subscription = undefined;
    this.heard = [];
    if (this.isFull) return;
    this.isFull = true;
    this.sink.onceTaken(() => {
      this.isFull = false;
      this.goOn();
    });
  }

  private listen(): void {
    try {
      this.isListening = true;
      const { watching } = this.answer;
      const subscription = watching.start((batch) => this.hear(batch), this.revision);
      // What is past is told while the subscription is made, and may be too much at once.
      if (this.closed || this.isFull || this.heardChanges > MOST_HEARD) subscription.close();
      else this.subscription = subscription;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.sink.write(this.encoder.error(error.status));
      this.finish();
    } finally {
      this.isListening = false;
    }
  }

  private hear(batch: WatchBatch): void {
    if (this.closed || this.isFull) return;
    const isDue = this.heard.length > 0;
    this.heard.push({ batch, isPast: this.isListening });
    this.heardChanges += batch.changes.length;
    if (this.heardChanges > MOST_HEARD) {
      this.subscription?.close();
      this.subscription = undefined;
    }
    if (!isDue) this.fanOut.enter(this);
  }

  tell(): number {
    const { heard } = this;
    this.heard = [];
    this.heardChanges = 0;
    let bytes = 0;
    let shared: Uint8Array[] = [];
    let gathered = 0;
    const writeShared = (): void => {
      if (gathered > 0) this.sink.write(joined(shared));
      shared = [];
      gathered = 0;
      if (this.sink.bufferedBytes > ROOM_BYTES) this.rest();
    };
    for (const { batch, isPast } of heard) {
      if (this.closed || this.isFull) break;
      this.revision = batch.changes.at(-1)?.revision ?? this.revision;
      const encoded = isPast ? undefined : this.encodeShared(batch);
      if (encoded) {
        bytes += encoded.length;
        gathered += encoded.length;
        shared.push(encoded);
        if (gathered >= ROOM_BYTES) writeShared();
        continue;
      }
      writeShared();
      this.waiting = batch.events();
      this.position = 0;
      if (!this.isFull) bytes += this.tellWaiting();
    }
    if (!this.closed) writeShared();
    const isHearing = this.subscription !== undefined || this.isListening;
    if (!this.closed && !this.isFull && !isHearing) this.listen();
    return bytes === 0 ? NOTHING_BYTES : bytes + WRITE_BYTES;
  }

  /** Watches that see the same in the same form share the bytes of a batch. */
  private encodeShared(batch: WatchBatch): Uint8Array | undefined {
    const { scope } = this.answer.watching;
    if (scope === undefined || !this.encoder.isShared) return undefined;
    if (batch.changes.length > SHARED_CHANGES) return undefined;
    const encode = () =>
      Buffer.concat(batch.events().map(({ type, object }) => this.encoder.event(type, object)));
    return sharedBytes(batch.changes, `${this.encoder.contentType} ${scope}`, encode);
  }

  private scheduleEnd(): void {
    const { timeoutSeconds } = this.answer;
    const { clock, random } = this.environment;
    const timeoutMs = timeoutSeconds
      ? timeoutSeconds * 1000
      : MIN_TIMEOUT_MS + random.below(MIN_TIMEOUT_MS);
    this.timers.push(clock.schedule(timeoutMs, () => this.finish()));
  }

  private scheduleBookmark(): void {
    const { clock, store } = this.environment;
    this.timers[1] = clock.schedule(BOOKMARK_INTERVAL_MS, () => {
      // While something is still to be told, the client has not come that far.
      const isTold = this.subscription && this.heard.length === 0;
      if (isTold) this.sink.write(this.encoder.bookmark(store.durableRevision, false));
      if (!this.closed) this.scheduleBookmark();
    });
  }
}
