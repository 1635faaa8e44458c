/**
 * Subscriptions to changes. Each watcher remembers the last revision it received, so that past and
 * new changes join without a gap or a duplicate, even if a listener writes or subscribes.
 */
import type { Change, Subscription } from "./types.ts";

export type ReportError = (error: unknown) => void;

/** Watchers that receive each change as it happens. */
export class Watchers {
  readonly #byResource = new ByResource<Watcher<Change>>();
  readonly #report: ReportError;
  readonly #queue: Change[] = [];
  #isPublishing = false;

  constructor(report: ReportError) {
    this.#report = report;
  }

  /**
   * A listener may write. Its change is queued until all watchers have received the current one;
   * otherwise watchers would see the two changes in different orders.
   */
  publish(changes: readonly Change[]): void {
    this.#queue.push(...changes);
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      for (const watcher of this.#byResource.of(next.key.resource)) {
        if (!watcher.isReplaying) this.#tell(watcher, next);
      }
    }
    this.#isPublishing = false;
  }

  add(
    resource: string,
    after: number,
    listener: (change: Change) => void,
    pastAfter: (revision: number) => readonly Change[],
  ): Subscription {
    let past = pastAfter(after);
    const watcher: Watcher<Change> = { told: after, isReplaying: true, listener };
    const subscription = this.#byResource.add(resource, watcher);
    while (past.length > 0) {
      for (const change of past) this.#tell(watcher, change);
      past = pastAfter(watcher.told);
    }
    watcher.isReplaying = false;
    return subscription;
  }

  clear(): void {
    this.#byResource.clear();
  }

  #tell(watcher: Watcher<Change>, change: Change): void {
    if (change.revision <= watcher.told) return;
    watcher.told = change.revision;
    guarded(this.#report, () => watcher.listener(change));
  }
}

/** Watchers that receive changes in batches, after they are synced. */
export class DurableWatchers {
  readonly #byResource = new ByResource<Watcher<readonly Change[]>>();
  readonly #report: ReportError;

  constructor(report: ReportError) {
    this.#report = report;
  }

  publish(changes: readonly Change[]): void {
    const batches = new Map<string, Change[]>();
    for (const change of changes) {
      const batch = batches.get(change.key.resource);
      if (batch) batch.push(change);
      else batches.set(change.key.resource, [change]);
    }
    for (const [resource, batch] of batches) {
      for (const watcher of this.#byResource.of(resource)) this.#tell(watcher, batch);
    }
  }

  add(
    resource: string,
    after: number,
    listener: (changes: readonly Change[]) => void,
    past: readonly Change[],
  ): Subscription {
    const watcher = { told: after, isReplaying: false, listener };
    const subscription = this.#byResource.add(resource, watcher);
    this.#tell(watcher, past);
    return subscription;
  }

  clear(): void {
    this.#byResource.clear();
  }

  #tell(watcher: Watcher<readonly Change[]>, batch: readonly Change[]): void {
    const first = batch[0];
    if (first === undefined) return;
    const isNews = first.revision > watcher.told;
    // All watchers get the same array, so that it can be encoded once for all of them.
    const news = isNews ? batch : batch.filter((change) => change.revision > watcher.told);
    const last = news.at(-1);
    if (last === undefined) return;
    watcher.told = last.revision;
    guarded(this.#report, () => watcher.listener(news));
  }
}

interface Watcher<Told> {
  told: number;
  isReplaying: boolean;
  readonly listener: (told: Told) => void;
}

class ByResource<Item> {
  readonly #sets = new Map<string, Set<Item>>();

  of(resource: string): Iterable<Item> {
    return this.#sets.get(resource) ?? [];
  }

  add(resource: string, item: Item): Subscription {
    const set = this.#sets.get(resource) ?? new Set<Item>();
    this.#sets.set(resource, set.add(item));
    return { close: () => void set.delete(item) };
  }

  clear(): void {
    for (const set of this.#sets.values()) set.clear();
  }
}

/** An error in one listener must not keep the others from receiving the change. */
export function guarded(report: ReportError, call: () => void): void {
  try {
    call();
  } catch (error) {
    report(error);
  }
}
