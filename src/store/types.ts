/**
 * What the store promises: objects by key, one growing revision, the past for watches, the disk.
 *
 * Reading order: types, object-store (the three writes and how all parts meet), ordered-objects and
 * collection (what is), history and watchers (what happened), commit-queue, notes and journal (what
 * is on disk), open (recovery), lock. Nothing here knows HTTP, kinds or what an object means.
 */
import type { Draft, KubeObject } from "../api/object.ts";

export interface ObjectKey {
  /** "jobs.batch" */
  readonly resource: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * One step of the store. A step that undoes what could not be synced has a revision of its own but
 * brings back the very object that is on disk, under the resourceVersion it has there: whoever asks
 * how far a cache has come must look at the revision of the change, not of the object.
 */
export interface Change {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly key: ObjectKey;
  /** The new state; for DELETED the last one, carrying the revision of the deletion. */
  readonly object: KubeObject;
  /** The state before, absent for ADDED. */
  readonly previous?: KubeObject;
}

/** A value to find objects by without looking at all of them. */
export interface IndexLookup {
  readonly index: string;
  readonly value: string;
}

/** Per resource, by index name, the values an object is found under. */
export type IndexDefinitions = {
  readonly [resource: string]: {
    readonly [index: string]: (object: KubeObject) => readonly string[];
  };
};

/** A small value beside the objects, found by its key alone. */
export interface Note {
  /** Of ASCII characters; notes are ordered by them. */
  readonly key: string;
  readonly bytes: Uint8Array;
}

/**
 * What a change is to leave behind: a pure function, asked once for every change and quick to say
 * that there is nothing. A note replaces the one of the same key. It is written together with the
 * change, and lost with it.
 */
export type NotesOf = (change: Change) => readonly Note[];

export interface NoteRange {
  readonly prefix: string;
  /** The first key of interest; absent: the first there is. */
  readonly from?: string;
  readonly limit: number;
}

export interface ListQuery {
  /** Absent or "": all namespaces. */
  readonly namespace?: string;
  /** The state at this revision; absent: the newest. Throws ExpiredRevision when it is unknown. */
  readonly at?: number;
  /** Only objects ordered after this one: how a page goes on. */
  readonly after?: { readonly namespace: string; readonly name: string };
  readonly limit?: number;
  readonly matches?: (object: KubeObject) => boolean;
  /** A hint: objects outside the lookup need not be considered. */
  readonly lookup?: IndexLookup;
}

export interface ListResult {
  /** The revision the list shows. */
  readonly revision: number;
  /** Ordered by "namespace/name" as one string, as etcd does: "a-b/x" comes before "a/x". */
  readonly items: readonly KubeObject[];
  /** True if the limit cut the list; what follows may still contain nothing that matches. */
  readonly more: boolean;
  /** How many objects are left after this page; counted only where nothing filters them. */
  readonly remaining?: number;
}

export interface Subscription {
  close(): void;
}

/** As much of a store as can be had without being the one that writes it. */
export interface StoredObjects {
  get(key: ObjectKey): KubeObject | undefined;
  list(
    resource: string,
    query?: Pick<ListQuery, "namespace" | "lookup">,
  ): Pick<ListResult, "items">;
  /** Notes in order of their keys, read from disk: those of every change up to the revision. */
  listNotes(range: NoteRange): readonly Note[];
}

export interface Store {
  /** The revision of the last applied write. */
  readonly revision: number;
  /** Everything up to here is synced to disk. */
  readonly durableRevision: number;
  /** The earliest revision whose successors are all known: subscriptions can begin there. */
  readonly oldestRevision: number;
  get(key: ObjectKey): KubeObject | undefined;
  list(resource: string, query?: ListQuery): ListResult;
  count(resource: string): number;
  /**
   * The three writes. Each takes the next revision, puts it into metadata.resourceVersion of the
   * draft (which the store owns from then on), applies it and tells subscribers, all before it
   * returns. It is durable only after durable(revision).
   */
  create(key: ObjectKey, object: Draft<KubeObject>): KubeObject;
  update(key: ObjectKey, object: Draft<KubeObject>, expectedRevision: string): KubeObject;
  remove(key: ObjectKey, expectedRevision: string): KubeObject;
  /**
   * The writes made by the function reach the disk in one commit: all of them, or none. It throws
   * before the first one if there is no room for that many.
   */
  together<T>(writes: number, write: () => T): T;
  /**
   * Settles when the revision is synced; rejects with StorageFailed when it cannot be (disk full,
   * disk gone), also when asked only after the write was undone.
   */
  durable(revision: number): Promise<void>;
  /** Called after each sync with the new durable revision. */
  onDurable(listener: (revision: number) => void): Subscription;
  /**
   * Every change of the resource after the revision, first those of the past, then each as it
   * happens, before it is durable. Throws ExpiredRevision when the past is no longer known.
   */
  subscribe(resource: string, after: number, listener: (change: Change) => void): Subscription;
  /**
   * The same for clients outside the process: changes arrive in batches, each only after it is
   * synced, and one that could not be synced never arrives.
   */
  subscribeDurable(
    resource: string,
    after: number,
    listener: (changes: readonly Change[]) => void,
  ): Subscription;
  /** The first changes of the resource after the revision that subscribeDurable would tell. */
  durableAfter(resource: string, after: number, limit: number): readonly Change[];
  /** Notes in order of their keys, read from disk: those of every change up to the revision. */
  listNotes(range: NoteRange): readonly Note[];
  /** Settles as durable does. Takes no revision: no object changes. */
  removeNotes(keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export class KeyExists extends Error {
  override readonly name = "KeyExists";
}

export class KeyMissing extends Error {
  override readonly name = "KeyMissing";
}

/** The object is not at the revision the caller read. */
export class RevisionMismatch extends Error {
  override readonly name = "RevisionMismatch";
}

/** The watch history no longer reaches back that far; oldest is the earliest one can ask for. */
export class ExpiredRevision extends Error {
  override readonly name = "ExpiredRevision";
  readonly oldest: number;
  constructor(oldest: number) {
    super(`history before revision ${oldest} is gone`);
    this.oldest = oldest;
  }
}

/** The journal cannot write: what was applied since the last sync was undone. */
export class StorageFailed extends Error {
  override readonly name = "StorageFailed";
}
