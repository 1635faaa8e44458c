/**
 * Follows one resource of the server and reports each change to listeners. The cached objects
 * survive a broken watch: the follower resumes it, or lists again and reports the differences.
 */
import type {
  Bookmark,
  Client,
  Closable,
  ObjectEvent,
  ResourceType,
  Selecting,
  WatchRequest,
} from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { KubeObject } from "../api/object.ts";
import { unreachable } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import { type CacheChange, CachedObjects } from "./cached-objects.ts";
import {
  FIRST_STATE,
  type FollowReport,
  type FollowState,
  isAtLeast,
  nextState,
} from "./list-watch.ts";

export interface FollowOptions<T extends KubeObject> extends Selecting {
  readonly client: Client;
  readonly type: ResourceType<T>;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Adds jitter to retries, so that clients that lost the same server do not return at once.
   * Without it retries have no jitter.
   */
  readonly random?: Random;
}

export type Listener<T> = (change: CacheChange<T>) => void;

interface Subscription<T> {
  readonly listener: Listener<T>;
  isClosed: boolean;
}

interface Waiter {
  readonly revision: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Follower<T extends KubeObject> {
  readonly synced: Promise<void>;
  readonly objects = new CachedObjects<T>();
  private readonly log: Log;
  private state: FollowState = FIRST_STATE;
  /** The revision of the cached objects; "" before the first list. */
  private shown = "";
  private current: Closable | undefined;
  /** Replaced, never modified: a listener may subscribe or unsubscribe while it is being called. */
  private subscriptions: readonly Subscription<T>[] = [];
  private waiters: Waiter[] = [];
  private streamsLists: boolean;
  /** Whether the current watch is a streamed list that has sent all initial events. */
  private isStreaming = false;
  isClosed = false;

  constructor(private readonly options: FollowOptions<T>) {
    this.streamsLists = options.client.streamsLists === true;
    this.log = options.log.child({ resource: options.type.resource });
    this.synced = this.seen("0");
    this.enter(this.state);
  }

  onChange(listener: Listener<T>, { existing = false } = {}): Closable {
    const subscription = { listener, isClosed: false };
    if (existing) {
      for (const object of this.objects.list()) this.tell(subscription, { type: "ADDED", object });
    }
    this.subscriptions = [...this.subscriptions, subscription];
    return {
      close: () => {
        subscription.isClosed = true;
        this.subscriptions = this.subscriptions.filter((each) => each !== subscription);
      },
    };
  }

  hasSeen(resourceVersion: string): boolean {
    return this.shown !== "" && isAtLeast(this.shown, resourceVersion);
  }

  seen(resourceVersion: string): Promise<void> {
    if (this.hasSeen(resourceVersion)) return Promise.resolve();
    if (this.isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.waiters.push({ revision: resourceVersion, resolve, reject });
    });
  }

  close(): void {
    this.giveUp(closed());
  }

  private giveUp(error: Error): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.current?.close();
    this.subscriptions = [];
    for (const waiter of this.waiters.splice(0)) waiter.reject(error);
  }

  private report(report: FollowReport): void {
    if (this.isClosed) return;
    const before = this.state;
    this.state = nextState(before, report);
    if (this.state.kind !== before.kind) this.enter(this.state);
  }

  private enter(state: FollowState): void {
    switch (state.kind) {
      case "listing":
        if (this.streamsLists) this.startStream();
        else this.current = this.startList();
        return;
      case "watching":
        // A streamed list continues as the watch.
        if (!this.isStreaming) this.startWatch(state.revision);
        return;
      case "pausing": {
        const { clock, random } = this.options;
        // Up to twice as long, like Kubernetes' own informers.
        const spreadMs = random && state.delayMs > 0 ? random.below(state.delayMs) : 0;
        const timer = clock.schedule(state.delayMs + spreadMs, () => {
          this.report({ kind: "paused" });
        });
        this.current = { close: () => timer.cancel() };
        return;
      }
      case "refused":
        this.giveUp(state.error);
        return;
      default:
        unreachable(state);
    }
  }

  private startList(): Closable {
    const { client, type } = this.options;
    let isCurrent = true;
    client.list(type, selecting(this.options)).then(
      ({ items, resourceVersion }) => {
        if (isCurrent) this.replace(items, resourceVersion);
      },
      (error: Error) => {
        if (!isCurrent) return;
        this.log.warn("list failed", { error });
        this.report({ kind: "list failed", error });
      },
    );
    return {
      close: () => {
        isCurrent = false;
      },
    };
  }

  private replace(items: readonly T[], revision: string): void {
    for (const change of this.objects.changesTo(items)) this.change(change);
    this.show(revision);
    this.report({ kind: "listed", revision });
  }

  private startWatch(revision: string): void {
    this.openWatch(
      { resourceVersion: revision },
      {
        onEvent: (event) => this.take(event),
        onBookmark: ({ resourceVersion }) => this.pass(resourceVersion),
        onEnd: (ended) => this.report({ kind: "watch ended", ...ended }),
      },
    );
  }

  /** A list and the watch after it in one request, which costs no more than sending the objects. */
  private startStream(): void {
    const listed = new Map<string, T>();
    this.isStreaming = false;
    this.openWatch(
      { resourceVersion: "", sendInitialEvents: true },
      {
        onEvent: (event) => {
          if (this.isStreaming) this.take(event);
          else if (event.type === "DELETED") listed.delete(placeOf(event.object));
          else listed.set(placeOf(event.object), event.object);
        },
        onBookmark: ({ resourceVersion, isInitialEnd }) => {
          if (this.isStreaming) this.pass(resourceVersion);
          if (this.isStreaming || !isInitialEnd) return;
          this.isStreaming = true;
          this.replace([...listed.values()], resourceVersion);
          listed.clear();
        },
        onEnd: (ended) => this.endStream(ended),
      },
    );
  }

  private endStream(ended: EndedWatch): void {
    const { error = new Error("the list ended before it was complete") } = ended;
    if (this.isStreaming) {
      this.isStreaming = false;
      this.report({ kind: "watch ended", ...ended });
    } else if (isUnknownManner(error)) {
      this.streamsLists = false;
      this.current = this.startList();
    } else {
      this.log.warn("list failed", { error });
      this.report({ kind: "list failed", error });
    }
  }

  /** A watch may deliver past events, and even end, before the call that opened it returns. */
  private openWatch(request: WatchRequest, handlers: StreamHandlers<T>): void {
    const { client, type, clock } = this.options;
    const startMs = clock.monotonicMs();
    let isOver = false;
    let watch: Closable | undefined;
    const close = () => {
      isOver = true;
      watch?.close();
    };
    this.current = { close };
    watch = client.watch(
      type,
      { ...selecting(this.options), ...request },
      {
        onEvent: (event) => {
          if (!isOver) handlers.onEvent(event);
        },
        onBookmark: (bookmark) => {
          if (!isOver) handlers.onBookmark(bookmark);
        },
        onEnd: (error) => {
          if (isOver) return;
          close();
          const livedMs = clock.monotonicMs() - startMs;
          this.log.debug("watch ended", { livedMs, error });
          handlers.onEnd({ livedMs, ...(error ? { error } : {}) });
        },
      },
    );
    if (isOver) watch.close();
  }

  /** A bookmark: no change happened up to this revision. */
  private pass(revision: string): void {
    this.report({ kind: "event", revision });
    if (!this.hasSeen(revision)) this.show(revision);
  }

  private take(event: ObjectEvent<T>): void {
    const revision = event.object.metadata.resourceVersion ?? "";
    this.report({ kind: "event", revision });
    // Waiters for this revision continue only after this turn, when the change is applied.
    if (!this.hasSeen(revision)) this.show(revision);
    for (const change of this.objects.changesOf(event)) this.change(change);
  }

  private change(change: CacheChange<T>): void {
    this.objects.apply(change);
    this.tellAll(change);
  }

  private show(revision: string): void {
    this.shown = revision;
    const waiters = this.waiters;
    this.waiters = waiters.filter((waiter) => !this.hasSeen(waiter.revision));
    for (const waiter of waiters) if (this.hasSeen(waiter.revision)) waiter.resolve();
  }

  private tellAll(change: CacheChange<T>): void {
    for (const subscription of this.subscriptions) this.tell(subscription, change);
  }

  /** An error in one listener must not keep the others from receiving the change. */
  private tell(subscription: Subscription<T>, change: CacheChange<T>): void {
    if (subscription.isClosed) return;
    try {
      subscription.listener(change);
    } catch (error) {
      this.log.error("a listener failed", { error });
    }
  }
}

interface EndedWatch {
  readonly livedMs: number;
  readonly error?: Error;
}

interface StreamHandlers<T> {
  readonly onEvent: (event: ObjectEvent<T>) => void;
  readonly onBookmark: (bookmark: Bookmark) => void;
  readonly onEnd: (ended: EndedWatch) => void;
}

/** The answer of a server that does not support, or does not allow, sendInitialEvents. */
function isUnknownManner(error: Error): boolean {
  return error instanceof ApiError && (error.code === 400 || error.code === 422);
}

function placeOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

export function closed(): Error {
  return new Error("the cache is closed");
}

function selecting({ namespace, labelSelector, fieldSelector }: Selecting): Selecting {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}
