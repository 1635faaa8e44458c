/** The store: objects in memory, read and written synchronously. Changes reach the disk later. */
import { encodeJson } from "../api/json-bytes.ts";
import type { Draft, KubeObject } from "../api/object.ts";
import { Collection } from "./collection.ts";
import { CommitQueue, type LostState } from "./commit-queue.ts";
import { History, type HistoryLimits } from "./history.ts";
import type { Journal } from "./journal.ts";
import { isNoteKey } from "./notes.ts";
import { Snapshots } from "./snapshots.ts";
import { formatKey } from "./stored-object.ts";
import {
  type Change,
  ExpiredRevision,
  type IndexDefinitions,
  KeyExists,
  KeyMissing,
  type ListQuery,
  type ListResult,
  type Note,
  type NoteRange,
  type NotesOf,
  type ObjectKey,
  RevisionMismatch,
  StorageFailed,
  type Store,
  type Subscription,
} from "./types.ts";
import { UndoneRevisions } from "./undone-revisions.ts";
import { DurableWatchers, guarded, type ReportError, Watchers } from "./watchers.ts";

export interface ObjectStoreOptions {
  readonly journal: Journal;
  /** The revision at which this run starts: above all that were ever assigned. */
  readonly revision: number;
  /** The highest revision that the journal has reserved so far. */
  readonly reserved: number;
  readonly reserveSize: number;
  readonly objects: Iterable<readonly [ObjectKey, KubeObject]>;
  readonly indexes: IndexDefinitions;
  readonly historyLimits: HistoryLimits;
  /**
   * Freezes objects, to find code that modifies objects it does not own. Too slow for production.
   */
  readonly freeze: boolean;
  readonly notesOf: NotesOf;
  /** Receives the errors of listeners that throw. */
  readonly report: ReportError;
  /** Called last when the store closes. */
  readonly release: () => Promise<void>;
}

export class ObjectStore implements Store {
  readonly #options: ObjectStoreOptions;
  readonly #start: number;
  readonly #collections = new Map<string, Collection>();
  readonly #history: History;
  readonly #snapshots: Snapshots;
  readonly #undone = new UndoneRevisions();
  readonly #watchers: Watchers;
  readonly #durableWatchers: DurableWatchers;
  readonly #durableListeners = new Set<(revision: number) => void>();
  readonly #queue: CommitQueue;
  #waiters: Waiter[] = [];
  #revision: number;
  #durableRevision: number;
  #lastFailure: StorageFailed | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ObjectStoreOptions) {
    const { revision, historyLimits, report } = options;
    this.#options = options;
    this.#start = revision;
    this.#revision = revision;
    this.#durableRevision = revision;
    this.#history = new History(revision, historyLimits);
    this.#snapshots = new Snapshots(this.#history);
    this.#watchers = new Watchers(report);
    this.#durableWatchers = new DurableWatchers(report);
    this.#queue = new CommitQueue({
      ...options,
      encode: (object) => this.#encode(object),
      newest: () => this.#revision,
      onSynced: (synced, changes) => this.#synced(synced, changes),
      onLost: (lost, error) => this.#undo(lost, error),
    });
    for (const [key, object] of options.objects) {
      this.#collection(key.resource).put(key, this.#frozen(object), undefined);
    }
  }

  get revision(): number {
    return this.#revision;
  }

  get durableRevision(): number {
    return this.#durableRevision;
  }

  get oldestRevision(): number {
    return this.#history.oldest;
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.#collections.get(key.resource)?.objects.get(key);
  }

  list(resource: string, query: ListQuery = {}): ListResult {
    const collection = this.#collection(resource);
    const { at, lookup, ...page } = query;
    if (at !== undefined && at > this.#revision) throw new ExpiredRevision(this.#history.oldest);
    if (at === undefined || at >= collection.changedAt) {
      return { revision: at ?? this.#revision, ...collection.page(page, lookup) };
    }
    const objects = this.#snapshots.at(at, resource, collection.objects);
    return {
      revision: at,
      ...objects.page(withLookup(page, lookup && collection.matcher(lookup))),
    };
  }

  count(resource: string): number {
    return this.#collections.get(resource)?.objects.size ?? 0;
  }

  create(key: ObjectKey, object: Draft<KubeObject>): KubeObject {
    if (this.get(key)) throw new KeyExists(`${describe(key)} already exists`);
    const revision = this.#nextRevision(key);
    object.metadata.resourceVersion = String(revision);
    return this.#commit({ type: "ADDED", revision, key, object: this.#frozen(object) });
  }

  update(key: ObjectKey, object: Draft<KubeObject>, expectedRevision: string): KubeObject {
    const previous = this.#current(key, expectedRevision);
    const revision = this.#nextRevision(key);
    object.metadata.resourceVersion = String(revision);
    return this.#commit({
      type: "MODIFIED",
      revision,
      key,
      object: this.#frozen(object),
      previous,
    });
  }

  remove(key: ObjectKey, expectedRevision: string): KubeObject {
    const previous = this.#current(key, expectedRevision);
    const revision = this.#nextRevision(key);
    const object = this.#frozen(atRevision(previous, revision));
    return this.#commit({ type: "DELETED", revision, key, object, previous });
  }

  together<T>(writes: number, write: () => T): T {
    this.#requireRevisions(writes);
    return this.#queue.together(write);
  }

  durable(revision: number): Promise<void> {
    const failure = this.#undone.failureOf(revision);
    if (failure) return Promise.reject(failure);
    if (revision <= this.#durableRevision) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ revision, resolve, reject });
    });
  }

  onDurable(listener: (revision: number) => void): Subscription {
    // Wrapped, so that the same function can be registered twice.
    const wrapped = (revision: number) => listener(revision);
    this.#durableListeners.add(wrapped);
    return { close: () => void this.#durableListeners.delete(wrapped) };
  }

  subscribe(resource: string, after: number, listener: (change: Change) => void): Subscription {
    const pastAfter = (revision: number) => this.#history.after(revision, resource);
    return this.#watchers.add(resource, after, listener, pastAfter);
  }

  subscribeDurable(
    resource: string,
    after: number,
    listener: (changes: readonly Change[]) => void,
  ): Subscription {
    const past = this.durableAfter(resource, after);
    return this.#durableWatchers.add(resource, after, listener, past);
  }

  durableAfter(resource: string, after: number, limit?: number): readonly Change[] {
    const isVisible = ({ revision }: Change) =>
      revision <= this.#durableRevision && !this.#undone.hides(revision);
    return this.#history.after(after, resource, { isVisible, limit });
  }

  listNotes(range: NoteRange): readonly Note[] {
    return this.#queue.listNotes(range);
  }

  removeNotes(keys: readonly string[]): Promise<void> {
    if (this.#closing) return Promise.reject(new Error("the store is closed"));
    return this.#queue.removeNotes(keys);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#queue.idle();
      this.#watchers.clear();
      this.#durableWatchers.clear();
      this.#durableListeners.clear();
      // If sealing fails, the next start only skips some revisions.
      await this.#queue.seal(this.#revision).catch(() => {});
      await this.#options.journal.close();
    } finally {
      await this.#options.release();
    }
  }

  #collection(resource: string): Collection {
    const known = this.#collections.get(resource);
    if (known) return known;
    const collection = new Collection(this.#options.indexes[resource] ?? {}, this.#start);
    this.#collections.set(resource, collection);
    return collection;
  }

  #current(key: ObjectKey, expectedRevision: string): KubeObject {
    const current = this.get(key);
    if (!current) throw new KeyMissing(`${describe(key)} does not exist`);
    const actual = current.metadata.resourceVersion;
    if (actual === expectedRevision) return current;
    throw new RevisionMismatch(`${describe(key)} is at ${actual}, not at ${expectedRevision}`);
  }

  /** Every check that may reject a write happens here: later steps must not fail halfway. */
  #nextRevision(key: ObjectKey): number {
    formatKey(key);
    this.#requireRevisions(1);
    return this.#revision + 1;
  }

  /**
   * Requires enough reserved revisions for the writes, and for undoing all that is not on disk yet.
   */
  #requireRevisions(writes: number): void {
    if (this.#closing) throw new Error("the store is closed");
    const last = this.#revision + writes;
    const toUndo = last - this.#durableRevision + 1;
    if (last + toUndo <= this.#queue.reserved) return;
    this.#queue.reserve();
    throw this.#lastFailure ?? new StorageFailed("the disk does not keep up with the writes");
  }

  #commit(change: Change): KubeObject {
    this.#apply(change);
    this.#queue.record(change, this.#notesOf(change));
    this.#watchers.publish([change]);
    return change.object;
  }

  /**
   * The change is already applied, so an error in its notes is reported and does not stop the
   * write.
   */
  #notesOf(change: Change): readonly Note[] {
    const { notesOf, report } = this.#options;
    try {
      const notes = notesOf(change);
      if (notes.every(({ key }) => isNoteKey(key))) return notes;
      throw new Error(`a note of ${describe(change.key)} has no usable key`);
    } catch (error) {
      report(error);
      return [];
    }
  }

  #apply(change: Change): void {
    this.#revision = change.revision;
    this.#collection(change.key.resource).apply(change);
    this.#history.append(change);
    this.#undone.forgetBefore(this.#history.oldest);
  }

  #synced(revision: number, changes: readonly Change[]): void {
    this.#durableRevision = revision;
    this.#lastFailure = undefined;
    const due = this.#waiters.filter((waiter) => waiter.revision <= revision);
    this.#waiters = this.#waiters.filter((waiter) => waiter.revision > revision);
    for (const waiter of due) waiter.resolve();
    this.#durableWatchers.publish(changes);
    this.#tellDurable();
  }

  /**
   * Restores the state on disk, by changes with revisions of their own, so that caches inside the
   * process follow. One more revision, without a change, is the state that clients outside may see
   * although the last writes were lost.
   */
  #undo(lost: readonly LostState[], error: StorageFailed): void {
    this.#lastFailure = error;
    const from = this.#durableRevision + 1;
    if (this.#revision < from) return;
    const steps: Change[] = [];
    for (const { key, durable } of lost) {
      const step = undoingStep(key, this.get(key), durable, this.#revision + 1);
      if (!step) continue;
      this.#apply(step);
      steps.push(step);
    }
    this.#revision += 1;
    this.#durableRevision = this.#revision;
    this.#undone.add({ from, to: this.#revision, error });
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(error);
    this.#watchers.publish(steps);
    this.#tellDurable();
  }

  #tellDurable(): void {
    for (const listener of this.#durableListeners) {
      guarded(this.#options.report, () => listener(this.#durableRevision));
    }
  }

  #encode(object: KubeObject): Uint8Array {
    const bytes = encodeJson(object);
    this.#history.weigh(Number(object.metadata.resourceVersion), bytes.length);
    return bytes;
  }

  #frozen(object: KubeObject): KubeObject {
    return this.#options.freeze ? deepFreeze(object) : object;
  }
}

interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: StorageFailed) => void;
}

function describe({ resource, namespace, name }: ObjectKey): string {
  return `${resource} ${namespace ? `${namespace}/` : ""}${name}`;
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function withLookup(
  query: Omit<ListQuery, "at" | "lookup">,
  isFound: ((object: KubeObject) => boolean) | undefined,
): Omit<ListQuery, "at" | "lookup"> {
  if (!isFound) return query;
  const { matches } = query;
  return { ...query, matches: (object) => isFound(object) && (matches?.(object) ?? true) };
}

function undoingStep(
  key: ObjectKey,
  current: KubeObject | undefined,
  durable: KubeObject | undefined,
  revision: number,
): Change | undefined {
  if (current === durable) return undefined;
  if (durable === undefined) {
    if (current === undefined) return undefined;
    const object = atRevision(current, revision);
    return { type: "DELETED", revision, key, object, previous: current };
  }
  if (current === undefined) return { type: "ADDED", revision, key, object: durable };
  return { type: "MODIFIED", revision, key, object: durable, previous: current };
}

function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
