/**
 * Sends a watch down a connection: the initial objects, then changes as they become durable,
 * bookmarks now and then, until the client, the timeout or the server ends it.
 *
 * Little is encoded ahead for a slow client: the stream stops listening to the store, and continues
 * from the last event it sent when there is room again. If the store has forgotten that revision,
 * the client is told to start over; a client that does not even read that is disconnected.
 */
import { ApiError } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { Change, Store, Subscription } from "../../store/types.ts";
import type { WatchBatch, WatchEvent, Watching } from "../verbs/watch.ts";
import type { WatchAnswer } from "./answer.ts";
import { type FanOut, type Telling, WRITE_BYTES } from "./fan-out.ts";
import { type Share, type WatchEncoder, watchEncoder } from "./watch-encode.ts";

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
  /** Counts what the watch keeps in memory until its client has taken more. */
  keep(thing: object, bytes: number): void;
  letGo(thing: object): void;
}

export interface WatchEnvironment {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** What watches of one server encode together; absent: nothing. */
  readonly share?: Share;
}

/** What may wait for a client before nothing more is encoded for it. */
const ROOM_BYTES = 64 * 1024;
const BOOKMARK_INTERVAL_MS = 60_000;
const MIN_TIMEOUT_MS = 30 * 60_000;
/** Whoever has more to be told hears no more of it until that is done. */
const MOST_HEARD = 1000;
/** Of an object that is to be sent: the object itself is in the store or in its history. */
const REFERENCE_BYTES = 16;
/** From here on an event is a chunk of its own. */
const LARGE_BYTES = 16 * 1024;
const NOTHING = new Uint8Array();

/** The bytes of batches by their form; undefined: too many to be written at once. */
const batches = new WeakMap<readonly Change[], Map<string, Uint8Array | undefined>>();

/** To find that there is nothing to tell takes as long as so many bytes. */
const NOTHING_BYTES = 512;

/** Each watch is told when it hears. */
const AT_ONCE = { enter: (watch: Telling) => void watch.tell() };
const UNSHARED: Share = (_, encode) => encode();

function lastRevision({ changes }: WatchBatch, otherwise: number): number {
  return changes.at(-1)?.revision ?? otherwise;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

interface Heard {
  readonly batch: WatchBatch;
  /** From before the watch began to listen: no other watch has the same batch. */
  readonly isPast: boolean;
}

export class WatchStream implements Telling {
  private readonly encoder: WatchEncoder;
  private readonly answer: Omit<WatchAnswer, "watching">;
  /** Without the initial objects: the watch must not keep those it has sent. */
  private readonly watching: Omit<Watching, "initial">;
  private readonly timers: Timer[] = [];
  private subscription: Subscription | undefined;
  /** What waits for its turn to be told, and how many changes that is. */
  private heard: Heard[] = [];
  private heardChanges = 0;
  private initial: readonly KubeObject[];
  private initialPosition = 0;
  /** What is being told, from its position on. */
  private waiting: readonly WatchEvent[] = [];
  private position = 0;
  /** All up to here was told, once the initial objects are. */
  private revision: number;
  private owesInitialEnd: boolean;
  private isFull = false;
  private closed = false;

  constructor(
    private readonly environment: WatchEnvironment,
    { watching, ...answer }: WatchAnswer,
    private readonly sink: Sink,
    private readonly fanOut: Pick<FanOut, "enter"> = AT_ONCE,
  ) {
    const { initial, ...others } = watching;
    const { clock, share = UNSHARED } = environment;
    this.answer = answer;
    this.watching = others;
    this.initial = initial;
    this.encoder = watchEncoder(answer, () => new Date(clock.nowMs()), share);
    this.revision = watching.revision;
    this.owesInitialEnd = watching.marksInitialEnd;
  }

  /** Call once what the initial objects show is durable. */
  start(): void {
    this.sink.begin(this.encoder.contentType, this.answer.warnings ?? []);
    this.scheduleEnd();
    if (this.answer.bookmarks) this.scheduleBookmark();
    this.goOn();
  }

  /** Stops sending; the connection is the caller's to close. */
  close(): void {
    this.closed = true;
    this.initial = [];
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

  /**
   * Drops the connection of a client that does not read and could not go on anyway, because the
   * store knows changes only from a later revision on. Otherwise the watch would keep initial
   * objects in memory that nobody else knows.
   */
  closeIfBehind(oldestRevision: number): void {
    if (this.closed || !this.isFull || this.revision >= oldestRevision) return;
    this.close();
    this.sink.abort();
  }

  /** Tells what is waiting as long as there is room, then listens again. */
  private goOn(): void {
    this.tellWaiting();
    if (this.closed || this.isFull) return;
    if (this.owesInitialEnd) {
      this.owesInitialEnd = false;
      this.sink.write(this.encoder.bookmark(this.watching.revision, true));
    }
    if (this.sink.bufferedBytes > ROOM_BYTES) this.rest();
    else if (!this.subscription) this.listen();
  }

  private tellWaiting(): number {
    let written = 0;
    while (!this.closed && this.hasMore()) {
      if (this.sink.bufferedBytes > ROOM_BYTES) {
        this.rest();
        return written;
      }
      written += this.writeSome();
    }
    if (this.initial.length > 0) this.sink.letGo(this.initial);
    this.initial = [];
    this.waiting = [];
    return written;
  }

  private hasMore(): boolean {
    return this.initialPosition < this.initial.length || this.position < this.waiting.length;
  }

  private writeSome(): number {
    let small: Uint8Array[] = [];
    let bytes = 0;
    const writeSmall = (): void => {
      if (small.length > 0) this.sink.write(joined(small));
      small = [];
    };
    while (bytes < ROOM_BYTES && this.hasMore()) {
      const chunk = this.encodeNext();
      bytes += chunk.length;
      small.push(chunk);
      // A large event is shared by all watches, so it is never copied into a chunk of one watch.
      if (chunk.length < LARGE_BYTES) continue;
      small.pop();
      writeSmall();
      this.sink.write(chunk);
    }
    writeSmall();
    return bytes;
  }

  private encodeNext(): Uint8Array {
    const object = this.initial[this.initialPosition];
    if (object) {
      this.initialPosition++;
      return this.encoder.event("ADDED", object);
    }
    const event = this.waiting[this.position++];
    if (!event) return NOTHING;
    this.revision = event.revision;
    return this.encoder.event(event.type, event.object);
  }

  /** Nothing is kept for a client that does not read but what it has been sent. */
  private rest(): void {
    this.subscription?.close();
    this.subscription = undefined;
    this.heard = [];
    this.waiting = [];
    if (this.initial.length > 0) {
      this.sink.keep(this.initial, this.initial.length * REFERENCE_BYTES);
    }
    if (this.isFull) return;
    this.isFull = true;
    this.sink.onceTaken(() => {
      this.isFull = false;
      this.goOn();
    });
  }

  /** The past comes in parts, each when the one before is told; then changes as they happen. */
  private listen(): void {
    const { watching } = this;
    try {
      const past = watching.past(this.revision, MOST_HEARD);
      if (past) this.hear(past, true);
      else {
        this.revision = Math.max(this.revision, this.environment.store.durableRevision);
        this.subscription = watching.start((batch) => this.hear(batch, false), this.revision);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.sink.write(this.encoder.error(error.status));
      this.finish();
    }
  }

  private hear(batch: WatchBatch, isPast: boolean): void {
    if (this.closed || this.isFull) return;
    const isDue = this.heard.length > 0;
    this.heard.push({ batch, isPast });
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
      const encoded = isPast ? undefined : this.encodeShared(batch);
      if (!encoded) {
        writeShared();
        if (!this.isFull) bytes += this.tellOne(batch);
        continue;
      }
      this.revision = lastRevision(batch, this.revision);
      bytes += encoded.length;
      gathered += encoded.length;
      shared.push(encoded);
      if (gathered >= ROOM_BYTES) writeShared();
    }
    if (!this.closed) writeShared();
    if (!this.closed && !this.isFull && !this.subscription) this.listen();
    return bytes === 0 ? NOTHING_BYTES : bytes + WRITE_BYTES;
  }

  private tellOne(batch: WatchBatch): number {
    this.waiting = batch.events();
    this.position = 0;
    const written = this.tellWaiting();
    if (!this.isFull) this.revision = lastRevision(batch, this.revision);
    return written;
  }

  /** Watches that see the same in the same form share the bytes of a batch, unless it is large. */
  private encodeShared(batch: WatchBatch): Uint8Array | undefined {
    const { scope } = this.watching;
    if (scope === undefined || !this.encoder.isShared) return undefined;
    const forms = batches.get(batch.changes) ?? new Map<string, Uint8Array | undefined>();
    batches.set(batch.changes, forms);
    const form = `${this.encoder.contentType} ${scope}`;
    if (!forms.has(form)) forms.set(form, this.encodeSmall(batch));
    return forms.get(form);
  }

  private encodeSmall(batch: WatchBatch): Uint8Array | undefined {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for (const { type, object } of batch.events()) {
      const chunk = this.encoder.event(type, object);
      bytes += chunk.length;
      if (bytes > ROOM_BYTES) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
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
