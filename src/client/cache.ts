/**
 * A local copy of a resource that follows the server, for components that read far more often than
 * objects change. In process it is always current. Over the wire it lags a little, so that a
 * component uses seen() to wait for its own writes.
 *
 * Components of one process that cache all objects of a resource share one follower, so that a
 * change costs one event, however many components there are.
 *
 * Reading order: this file, follower, list-watch (state machine), cached-objects (the data).
 */
import type { Client, Closable } from "../api/client.ts";
import type { KubeObject } from "../api/object.ts";
import type { CacheChange, Indexes } from "./cached-objects.ts";
import { closed, Follower, type FollowOptions, type Listener } from "./follower.ts";

export interface CacheOptions<T extends KubeObject> extends FollowOptions<T> {
  readonly indexes?: Indexes<T>;
}

export type { CacheChange };

export type CacheListener<T> = Listener<T>;

/** Objects are shared and must not be modified. */
export interface Cache<T extends KubeObject> {
  /** The namespace of cluster-scoped objects is "". */
  get(namespace: string, name: string): T | undefined;
  list(namespace?: string): readonly T[];
  /** The objects that an index has under a value. The cost depends only on their number. */
  find(index: string, value: string): readonly T[];
  /** Called for every later change; with `existing`, first for every object that exists now. */
  onChange(listener: CacheListener<T>, options?: { readonly existing?: boolean }): Closable;
  /** Whether the cache shows at least this revision of the resource (read-your-writes). */
  hasSeen(resourceVersion: string): boolean;
  /** Resolves when hasSeen is true. Rejects if the cache is closed first. */
  seen(resourceVersion: string): Promise<void>;
  close(): void;
}

/** Resolves after the first complete list; rejects if the server rejects the list request. */
export async function openCache<T extends KubeObject>(options: CacheOptions<T>): Promise<Cache<T>> {
  const { follower, release } = isWhole(options) ? share(options) : own(options);
  const cache = new CacheView(follower, options.indexes ?? {}, release);
  try {
    await follower.synced;
  } catch (error) {
    cache.close();
    throw error;
  }
  return cache;
}

interface Held<T extends KubeObject> {
  readonly follower: Follower<T>;
  /** Closes the follower if no other cache uses it. */
  readonly release: () => void;
}

function isWhole({ namespace, labelSelector, fieldSelector }: FollowOptions<KubeObject>): boolean {
  return namespace === undefined && labelSelector === undefined && fieldSelector === undefined;
}

function own<T extends KubeObject>(options: FollowOptions<T>): Held<T> {
  const follower = new Follower(options);
  return { follower, release: () => follower.close() };
}

interface Shared {
  readonly follower: Follower<KubeObject>;
  users: number;
}

/** Shared followers by resource. They are garbage-collected together with their client. */
const followed = new WeakMap<Client, Map<string, Shared>>();

function share<T extends KubeObject>(options: FollowOptions<T>): Held<T> {
  const { client, type } = options;
  const byResource = followed.get(client) ?? new Map<string, Shared>();
  followed.set(client, byResource);
  const key = `${type.group}/${type.version}/${type.resource}`;
  const known = byResource.get(key);
  // The key identifies the object type, which the type of the map cannot express.
  const fresh = () => new Follower(options) as unknown as Follower<KubeObject>;
  const shared = known && !known.follower.isClosed ? known : { follower: fresh(), users: 0 };
  byResource.set(key, shared);
  shared.users++;
  return {
    follower: shared.follower as unknown as Follower<T>,
    release: () => {
      if (--shared.users > 0) return;
      shared.follower.close();
      if (byResource.get(key) === shared) byResource.delete(key);
    },
  };
}

/** One component's view of a follower: with its own indexes, closed on its own. */
class CacheView<T extends KubeObject> implements Cache<T> {
  private readonly subscriptions = new Set<Closable>();
  private readonly waiting = new Set<(error: Error) => void>();
  private isClosed = false;

  constructor(
    private readonly follower: Follower<T>,
    private readonly indexes: Indexes<T>,
    private readonly release: () => void,
  ) {
    for (const valuesOf of Object.values(indexes)) follower.objects.addIndex(valuesOf);
  }

  get(namespace: string, name: string): T | undefined {
    return this.follower.objects.get(namespace, name);
  }

  list(namespace?: string): readonly T[] {
    return this.follower.objects.list(namespace);
  }

  find(index: string, value: string): readonly T[] {
    const valuesOf = this.indexes[index];
    if (!valuesOf) throw new Error(`there is no index ${index}`);
    return this.follower.objects.find(valuesOf, value);
  }

  onChange(listener: CacheListener<T>, options?: { readonly existing?: boolean }): Closable {
    const subscription = this.follower.onChange(listener, options);
    const closable = {
      close: () => {
        this.subscriptions.delete(closable);
        subscription.close();
      },
    };
    this.subscriptions.add(closable);
    return closable;
  }

  hasSeen(resourceVersion: string): boolean {
    return this.follower.hasSeen(resourceVersion);
  }

  seen(resourceVersion: string): Promise<void> {
    if (this.hasSeen(resourceVersion)) return Promise.resolve();
    if (this.isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      this.follower
        .seen(resourceVersion)
        .then(resolve, reject)
        .finally(() => this.waiting.delete(reject));
    });
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const subscription of [...this.subscriptions]) subscription.close();
    for (const valuesOf of Object.values(this.indexes)) this.follower.objects.dropIndex(valuesOf);
    for (const reject of this.waiting) reject(closed());
    this.release();
  }
}
