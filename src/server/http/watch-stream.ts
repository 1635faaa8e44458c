/**
 * Sends a watch over a connection: the initial objects, then changes as they become durable, and
 * periodic bookmarks, until the client, the timeout or the server ends it.
 *
 * Little is encoded ahead for a slow client: the stream unsubscribes from the store, and resumes
 * after the last event it sent when there is room again. If that revision has expired by then, the
 * client gets an ERROR event; if it does not read at all, it is disconnected.
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

/** The connection, as far as a watch needs it. */
export interface Sink {
  begin(contentType: string, warnings: readonly string[]): void;
  write(bytes: Uint8Array): void;
  end(): void;
  /** Drops the connection, so that the client notices that it missed something. */
  abort(): void;
  /** Bytes that were written but not read by the client yet. */
  readonly bufferedBytes: number;
  /** Calls back when the client has read all of them; used only if there are many. */
  onceTaken(callback: () => void): void;
  /** Counts what the watch keeps in memory until its client has read more. */
  keep(thing: object, bytes: number): void;
  letGo(thing: object): void;
}

export interface WatchEnvironment {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Shares encoded events between the watches of a server; absent: they are not shared. */
  readonly share?: Share;
}

/** How much may wait for a client before nothing more is encoded for it. */
const ROOM_BYTES = 64 * 1024;
const BOOKMARK_INTERVAL_MS = 60_000;
const MIN_TIMEOUT_MS = 30 * 60_000;
/** A watch with more pending changes than this unsubscribes until they are sent. */
const MOST_HEARD = 1000;
/** The cost of a pending object: the object itself is in the store or in its history. */
const REFERENCE_BYTES = 16;
/** An event of at least this size is written as a chunk of its own. */
const LARGE_BYTES = 16 * 1024;
const NOTHING = new Uint8Array();

/** The bytes of batches by form; undefined if they are too large to write at once. */
const batches = new WeakMap<readonly Change[], Map<string, Uint8Array | undefined>>();

/** The cost, in bytes, of finding that there is nothing to send. */
const NOTHING_BYTES = 512;

/** Without a FanOut each watch sends at once. */
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
  /** From before the watch subscribed: no other watch has the same batch. */
  readonly isPast: boolean;
}

export class WatchStream implements Telling {
  private readonly encoder: WatchEncoder;
  private readonly answer: Omit<WatchAnswer, "watching">;
  /** Without the initial objects: the watch must not keep those it has sent. */
  private readonly watching: Omit<Watching, "initial">;
  private readonly timers: Timer[] = [];
  private subscription: Subscription | undefined;
  /** Batches that wait to be sent, and their number of changes. */
  private heard: Heard[] = [];
  private heardChanges = 0;
  private initial: readonly KubeObject[];
  private initialPosition = 0;
  /** The events being sent, from `position` on. */
  private waiting: readonly WatchEvent[] = [];
  private position = 0;
  /** All changes up to this revision were sent, once the initial objects are. */
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

  /** To be called once the revision of the initial objects is durable. */
  start(): void {
    this.sink.begin(this.encoder.contentType, this.answer.warnings ?? []);
    this.scheduleEnd();
    if (this.answer.bookmarks) this.scheduleBookmark();
    this.goOn();
  }

  /** Stops sending; the caller closes the connection. */
  close(): void {
    this.closed = true;
    this.initial = [];
    this.waiting = [];
    this.heard = [];
    this.subscription?.close();
    for (const timer of this.timers) timer.cancel();
  }

  /** Ends the stream like a timeout: the client may resume from its last revision. */
  finish(): void {
    if (this.closed) return;
    this.close();
    this.sink.end();
  }

  /**
   * Drops the connection of a client that does not read and could not resume anyway, because its
   * revision is older than the history. Otherwise the watch would keep initial objects in memory
   * that nothing else refers to.
   */
  closeIfBehind(oldestRevision: number): void {
    if (this.closed || !this.isFull || this.revision >= oldestRevision) return;
    this.close();
    this.sink.abort();
  }

  /** Sends pending events as long as there is room, then subscribes again. */
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
      // A large event is shared by all watches, so that it is never copied into one watch's chunk.
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

  /** Nothing is kept for a client that does not read, except the bytes already written. */
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

  /** Past changes are sent in parts, one after the other; then changes as they happen. */
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

  /** Watches with the same scope and form share the bytes of a batch, unless it is large. */
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
      // While events are pending, the client has not reached the current revision.
      const isTold = this.subscription && this.heard.length === 0;
      if (isTold) this.sink.write(this.encoder.bookmark(store.durableRevision, false));
      if (!this.closed) this.scheduleBookmark();
    });
  }
}
