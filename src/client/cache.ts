/**
 * A copy of a resource that follows the server, for components that look things up far more often
 * than things change. It shows what was true a moment ago: in process that moment is none, over the
 * wire one waits for one's own writes with seen().
 *
 * Reading order: this file, list-watch (what to do when), cached-objects (what is known).
 */
import type { Client, Closable, ObjectEvent, ResourceType, Selecting } from "../api/client.ts";
import type { KubeObject } from "../api/object.ts";
import { unreachable } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import { type CacheChange, CachedObjects, type Indexes } from "./cached-objects.ts";
import {
  FIRST_STATE,
  type FollowReport,
  type FollowState,
  isAtLeast,
  nextState,
} from "./list-watch.ts";

export interface CacheOptions<T extends KubeObject> extends Selecting {
  readonly client: Client;
  readonly type: ResourceType<T>;
  readonly clock: Clock;
  readonly log: Log;
  /** Spreads the retries of all who lost the same server; without it they are on the dot. */
  readonly random?: Random;
  readonly indexes?: Indexes<T>;
}

export type { CacheChange };

export type CacheListener<T> = (change: CacheChange<T>) => void;

/** Objects are shared and must not be changed. */
export interface Cache<T extends KubeObject> {
  /** The namespace of cluster-scoped objects is "". */
  get(namespace: string, name: string): T | undefined;
  list(namespace?: string): readonly T[];
  /** The objects that an index has under a value, at a cost of no more than their number. */
  find(index: string, value: string): readonly T[];
  /** Called for every change from now on; with `existing`, first for every object there is. */
  onChange(listener: CacheListener<T>, options?: { readonly existing?: boolean }): Closable;
  /** Whether the cache shows at least this revision of this resource (read-your-writes). */
  hasSeen(resourceVersion: string): boolean;
  /** Rejects when the cache is closed before. */
  seen(resourceVersion: string): Promise<void>;
  close(): void;
}

/** Resolves when all there is has been seen; rejects when the server refuses to list it. */
export async function openCache<T extends KubeObject>(options: CacheOptions<T>): Promise<Cache<T>> {
  const cache = new FollowingCache(options);
  await cache.synced;
  return cache;
}

interface Subscription<T> {
  readonly listener: CacheListener<T>;
  isClosed: boolean;
}

interface Waiter {
  readonly revision: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

class FollowingCache<T extends KubeObject> implements Cache<T> {
  readonly synced: Promise<void>;
  private readonly objects: CachedObjects<T>;
  private readonly log: Log;
  private state: FollowState = FIRST_STATE;
  /** The revision the objects show; "" before the first list. */
  private shown = "";
  private current: Closable | undefined;
  /** Replaced rather than changed: a listener may subscribe or leave while it is told. */
  private subscriptions: readonly Subscription<T>[] = [];
  private waiters: Waiter[] = [];
  private isClosed = false;

  constructor(private readonly options: CacheOptions<T>) {
    this.objects = new CachedObjects(options.indexes ?? {});
    this.log = options.log.child({ resource: options.type.resource });
    this.synced = this.seen("0");
    this.enter(this.state);
  }

  get(namespace: string, name: string): T | undefined {
    return this.objects.get(namespace, name);
  }

  list(namespace?: string): readonly T[] {
    return this.objects.list(namespace);
  }

  find(index: string, value: string): readonly T[] {
    return this.objects.find(index, value);
  }

  onChange(listener: CacheListener<T>, { existing = false } = {}): Closable {
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
        this.current = this.startList();
        return;
      case "watching":
        this.startWatch(state.revision);
        return;
      case "pausing": {
        const { clock, random } = this.options;
        // Up to twice as long, as Kubernetes' own informers.
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

  /** A watch may tell of the past, and even end, before the call that began it returns. */
  private startWatch(revision: string): void {
    const { client, type, clock } = this.options;
    const startMs = clock.monotonicMs();
    let isOver = false;
    let watch: Closable | undefined;
    const close = () => {
      isOver = true;
      watch?.close();
    };
    this.current = { close };
    const request = { ...selecting(this.options), resourceVersion: revision };
    watch = client.watch(type, request, {
      onEvent: (event) => {
        if (!isOver) this.take(event);
      },
      onEnd: (error) => {
        if (isOver) return;
        close();
        const livedMs = clock.monotonicMs() - startMs;
        this.log.debug("watch ended", { livedMs, error });
        this.report({ kind: "watch ended", livedMs, ...(error ? { error } : {}) });
      },
    });
    if (isOver) watch.close();
  }

  private take(event: ObjectEvent<T>): void {
    const revision = event.object.metadata.resourceVersion ?? "";
    this.report({ kind: "event", revision });
    // Who waits for the revision goes on only after this turn, when it is shown.
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

  /** One listener's bug must not keep the others from hearing. */
  private tell(subscription: Subscription<T>, change: CacheChange<T>): void {
    if (subscription.isClosed) return;
    try {
      subscription.listener(change);
    } catch (error) {
      this.log.error("a listener failed", { error });
    }
  }
}

function closed(): Error {
  return new Error("the cache is closed");
}

function selecting({ namespace, labelSelector, fieldSelector }: Selecting): Selecting {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}
