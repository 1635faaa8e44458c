/**
 * The contract of the store: objects by key, one increasing revision, a history for watches,
 * durability on disk.
 *
 * Reading order: types, object-store (the three writes and how all parts work together),
 * ordered-objects and collection (current state), history and watchers (changes), commit-queue,
 * notes and journal (disk), open (recovery). Nothing here knows about HTTP, kinds or the meaning of
 * an object.
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
 * One change in the store. A change that undoes a write that could not be synced has a revision of
 * its own, but restores the object on disk with the resourceVersion that it has there. To know how
 * far a cache has come, use the revision of the change, not the one of the object.
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

/** Finds objects by the value of an index, without a scan. */
export interface IndexLookup {
  readonly index: string;
  readonly value: string;
}

/** Per resource and index name: computes the values under which an object is found. */
export type IndexDefinitions = {
  readonly [resource: string]: {
    readonly [index: string]: (object: KubeObject) => readonly string[];
  };
};

/** A small value stored beside the objects, found only by its key. */
export interface Note {
  /** ASCII characters only; notes are sorted by key. */
  readonly key: string;
  readonly bytes: Uint8Array;
}

/**
 * Computes the notes that a change leaves. It must be pure, and fast when there are none, because
 * the store calls it once for every change. A note replaces the one with the same key. It is
 * written together with the change; if the change is lost, so is the note.
 */
export type NotesOf = (change: Change) => readonly Note[];

export interface NoteRange {
  readonly prefix: string;
  /** The first key to return; by default the first with the prefix. */
  readonly from?: string;
  readonly limit: number;
}

export interface ListQuery {
  /** Absent or "": all namespaces. */
  readonly namespace?: string;
  /**
   * List the state at this revision; by default the newest. Throws ExpiredRevision if it is
   * unknown.
   */
  readonly at?: number;
  /** Only objects after this position, to continue a paged list. */
  readonly after?: { readonly namespace: string; readonly name: string };
  readonly limit?: number;
  readonly matches?: (object: KubeObject) => boolean;
  /** A hint: objects outside the lookup may be skipped. */
  readonly lookup?: IndexLookup;
}

export interface ListResult {
  /** The revision of the listed state. */
  readonly revision: number;
  /** Ordered by "namespace/name" as one string, like in etcd: "a-b/x" comes before "a/x". */
  readonly items: readonly KubeObject[];
  /** True if the limit cut the list. The remaining objects may still contain no match. */
  readonly more: boolean;
  /** How many objects are left after this page; counted only if the list has no filter. */
  readonly remaining?: number;
}

export interface Subscription {
  close(): void;
}

/** The part of a store that a process can read without being its writer. */
export interface StoredObjects {
  get(key: ObjectKey): KubeObject | undefined;
  list(
    resource: string,
    query?: Pick<ListQuery, "namespace" | "lookup">,
  ): Pick<ListResult, "items">;
  /** Notes in order of key, including those of every change up to the current revision. */
  listNotes(range: NoteRange): readonly Note[];
}

export interface Store {
  /** The revision of the last applied write. */
  readonly revision: number;
  /** All changes up to this revision are synced to disk. */
  readonly durableRevision: number;
  /** The earliest revision from which a subscription can start: all later changes are known. */
  readonly oldestRevision: number;
  get(key: ObjectKey): KubeObject | undefined;
  list(resource: string, query?: ListQuery): ListResult;
  count(resource: string): number;
  /**
   * The three writes. Each takes the next revision, sets it as metadata.resourceVersion of the
   * draft (which the store owns from then on), applies the change and notifies subscribers, all
   * before it returns. The write is durable only after durable(revision) has resolved.
   */
  create(key: ObjectKey, object: Draft<KubeObject>): KubeObject;
  update(key: ObjectKey, object: Draft<KubeObject>, expectedRevision: string): KubeObject;
  remove(key: ObjectKey, expectedRevision: string): KubeObject;
  /**
   * The writes made by the function reach the disk in one commit: all of them, or none. Throws
   * before the first one if not enough revisions are reserved for that many.
   */
  together<T>(writes: number, write: () => T): T;
  /**
   * Settles when the revision is synced. Rejects with StorageFailed if it cannot be (disk full,
   * disk gone), also if called after the write was undone.
   */
  durable(revision: number): Promise<void>;
  /** Called after each sync with the new durable revision. */
  onDurable(listener: (revision: number) => void): Subscription;
  /**
   * Delivers every change of the resource after the revision: first the past ones, then each new
   * one as it happens, before it is durable. Throws ExpiredRevision if the past is no longer known.
   */
  subscribe(resource: string, after: number, listener: (change: Change) => void): Subscription;
  /**
   * The same for clients outside the process: changes arrive in batches, each only after it is
   * synced. A change that could not be synced never arrives.
   */
  subscribeDurable(
    resource: string,
    after: number,
    listener: (changes: readonly Change[]) => void,
  ): Subscription;
  /** The first changes of the resource after the revision that subscribeDurable would deliver. */
  durableAfter(resource: string, after: number, limit: number): readonly Change[];
  /** Notes in order of key, including those of every change up to the current revision. */
  listNotes(range: NoteRange): readonly Note[];
  /** Settles like durable(). Takes no revision, because no object changes. */
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

/** The watch history no longer reaches back that far; `oldest` is the earliest usable revision. */
export class ExpiredRevision extends Error {
  override readonly name = "ExpiredRevision";
  readonly oldest: number;
  constructor(oldest: number) {
    super(`history before revision ${oldest} is gone`);
    this.oldest = oldest;
  }
}

/** The journal cannot write. All changes applied since the last sync were undone. */
export class StorageFailed extends Error {
  override readonly name = "StorageFailed";
}
