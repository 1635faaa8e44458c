/**
 * A copy of a resource that follows the server, for components that look things up far more often
 * than things change. It shows what was true a moment ago: in process that moment is none, over the
 * wire one waits for one's own writes with seen().
 *
 * Components of one process that look at all of a resource share what is followed: a change costs
 * one event, however many of them there are.
 *
 * Reading order: this file, follower, list-watch (what to do when), cached-objects (what is known).
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
  /** Ends the following when nobody else needs it. */
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

/** By resource. A client that is gone takes what was followed through it along. */
const followed = new WeakMap<Client, Map<string, Shared>>();

function share<T extends KubeObject>(options: FollowOptions<T>): Held<T> {
  const { client, type } = options;
  const byResource = followed.get(client) ?? new Map<string, Shared>();
  followed.set(client, byResource);
  const key = `${type.group}/${type.version}/${type.resource}`;
  const known = byResource.get(key);
  // The key names the type of the objects, which the map cannot know.
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

/** What one component sees of a follower: its own indexes, and its own end. */
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
