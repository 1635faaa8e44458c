/**
 * Sends a watch down a connection: the initial objects, then changes as they become durable,
 * bookmarks now and then, until the client, the timeout or the server ends it.
 */
import { ApiError } from "../../api/errors.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { Change, Store, Subscription } from "../../store/types.ts";
import type { WatchBatch } from "../verbs/watch.ts";
import type { WatchAnswer } from "./answer.ts";
import { type WatchEncoder, watchEncoder } from "./watch-encode.ts";

/** The connection, as far as a watch is concerned. */
export interface Sink {
  begin(contentType: string, warnings: readonly string[]): void;
  write(bytes: Uint8Array): void;
  end(): void;
  /** Drops the connection: the client must notice that it missed something. */
  abort(): void;
  /** Bytes handed over and not yet taken by the client. */
  readonly bufferedBytes: number;
}

export interface WatchEnvironment {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** A client that reads this much slower than things happen is told to start over. */
const BUFFER_LIMIT_BYTES = 16 * 1024 * 1024;
const BOOKMARK_INTERVAL_MS = 60_000;
const MIN_TIMEOUT_MS = 30 * 60_000;

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

export class WatchStream {
  private readonly encoder: WatchEncoder;
  private readonly timers: Timer[] = [];
  private subscription: Subscription | undefined;
  private closed = false;

  constructor(
    private readonly environment: WatchEnvironment,
    private readonly answer: WatchAnswer,
    private readonly sink: Sink,
  ) {
    this.encoder = watchEncoder(answer, () => new Date(environment.clock.nowMs()));
  }

  /** Call once what the initial objects show is durable. */
  start(): void {
    const { watching } = this.answer;
    this.sink.begin(this.encoder.contentType, this.answer.warnings ?? []);
    const chunks = watching.initial.map((object) => this.encoder.event("ADDED", object));
    if (watching.marksInitialEnd) chunks.push(this.encoder.bookmark(watching.revision, true));
    if (chunks.length > 0) this.sink.write(Buffer.concat(chunks));
    this.scheduleEnd();
    if (this.answer.bookmarks) this.scheduleBookmark();
    try {
      this.subscription = watching.start((batch) => this.send(this.encodeBatch(batch)));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.sink.write(this.encoder.error(error.status));
      this.finish();
    }
    if (this.closed) this.subscription?.close();
  }

  /** Stops sending; the connection is the caller's to close. */
  close(): void {
    this.closed = true;
    this.subscription?.close();
    for (const timer of this.timers) timer.cancel();
  }

  /** Ends the stream the way a timeout does: the client may go on from where it was. */
  finish(): void {
    if (this.closed) return;
    this.close();
    this.sink.end();
  }

  /** Watches that see the same in the same form share the bytes of a batch. */
  private encodeBatch(batch: WatchBatch): Uint8Array {
    const { scope } = this.answer.watching;
    const encode = () =>
      Buffer.concat(batch.events().map(({ type, object }) => this.encoder.event(type, object)));
    if (scope === undefined || !this.encoder.isShared) return encode();
    return sharedBytes(batch.changes, `${this.encoder.contentType} ${scope}`, encode);
  }

  private send(bytes: Uint8Array): void {
    if (this.closed || bytes.length === 0) return;
    this.sink.write(bytes);
    if (this.sink.bufferedBytes <= BUFFER_LIMIT_BYTES) return;
    this.close();
    this.sink.abort();
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
      this.send(this.encoder.bookmark(store.durableRevision, false));
      if (!this.closed) this.scheduleBookmark();
    });
  }
}
