/**
 * The one interface everything above the server is written against: controllers, agent and command
 * line. In process it calls the server's verbs (client/local); over the wire it speaks HTTP.
 * Objects that come out are shared and must not be changed.
 */
import type { BoundObjectReference } from "./generated/authentication.ts";
import type { Job } from "./generated/batch.ts";
import type { KubeObject } from "./object.ts";

/** A resource as a client names it. */
export interface ResourceType<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set: it carries the type of the objects. */
  readonly object?: T;
}

export interface Name {
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
}

/** A pod as its binding means it: with a uid, no other one that has taken its name since. */
export interface PodName extends Name {
  readonly uid?: string;
}

export interface Selecting {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListRequest extends Selecting {
  readonly limit?: number;
  readonly continue?: string;
}

export interface ListOf<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly continue?: string;
}

export interface WatchRequest extends Selecting {
  readonly resourceVersion: string;
  /** First all there is, then a bookmark that says so; only where the client streams lists. */
  readonly sendInitialEvents?: true;
}

export interface ObjectEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

export interface Bookmark {
  readonly resourceVersion: string;
  /** Whether it ends the initial events. */
  readonly isInitialEnd: boolean;
}

export interface WatchHandlers<T> {
  readonly onEvent: (event: ObjectEvent<T>) => void;
  /** Everything up to this revision has been told, though it may have been nothing. */
  readonly onBookmark?: (bookmark: Bookmark) => void;
  /** The watch is over: with an error, or because the server ended it. */
  readonly onEnd: (error?: Error) => void;
}

export interface Closable {
  close(): void;
}

export interface PatchRequest {
  readonly type: "json" | "merge" | "strategic";
  readonly body: unknown;
  readonly subresource?: "status" | "scale";
}

export interface DeleteRequest {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface TokenSpec {
  /** Whom the token is for; absent: the server itself. */
  readonly audiences?: readonly string[];
  /** An hour where it is absent, never less than ten minutes. */
  readonly expirationSeconds?: number;
  /** What the token ends with, besides its time. */
  readonly boundObjectRef?: BoundObjectReference;
}

export interface IssuedToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** A Job with the objects that belong to it, to be stored in one commit. */
export interface JobSubmission {
  readonly job: Job;
  /** Indexes that are not run, because they have succeeded or failed before: "0-3,7". */
  readonly settled?: { readonly completed: string; readonly failed: string };
  /** ConfigMaps and Secrets. The Job becomes their owner. */
  readonly support: readonly KubeObject[];
  /** The Job of that name that it replaces, exactly as the caller read it. */
  readonly former?: {
    readonly uid: string;
    readonly resourceVersion: string;
    /** Whether the ConfigMaps and Secrets of the former Job become those of the new one. */
    readonly leavesSupport?: boolean;
  };
}

/** Failures are ApiErrors. */
export interface Client {
  /** Whether a watch can begin with all there is, in place of a list before it. */
  readonly streamsLists?: boolean;
  /** Whether a strategic merge is more work for the server than a JSON patch. */
  readonly prefersJsonPatches?: boolean;
  get<T extends KubeObject>(type: ResourceType<T>, name: Name): Promise<T>;
  list<T extends KubeObject>(type: ResourceType<T>, request?: ListRequest): Promise<ListOf<T>>;
  watch<T extends KubeObject>(
    type: ResourceType<T>,
    request: WatchRequest,
    handlers: WatchHandlers<T>,
  ): Closable;
  create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
  update<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
  updateStatus<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
  /** Replaces what holds a Namespace: its spec.finalizers. */
  finalize<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
  patch<T extends KubeObject>(type: ResourceType<T>, name: Name, request: PatchRequest): Promise<T>;
  delete(type: ResourceType, name: Name, request?: DeleteRequest): Promise<void>;
  /** Gives a pod without a node the node it is to run on, for good. */
  bind(pod: PodName, node: string): Promise<void>;
  /** A new token of a ServiceAccount: the subresource "token". */
  requestToken(account: Name, spec: TokenSpec): Promise<IssuedToken>;
  /**
   * All or nothing, also after a crash. Rejects with a Conflict if the former Job is not as the
   * caller read it. Absent for a cluster, which has no such commit.
   */
  readonly submitJob?: (submission: JobSubmission) => Promise<Job>;
  /**
   * Settles when what was read or written at this revision cannot be lost any more. Whoever acts
   * on the world outside waits for it before.
   */
  durable(resourceVersion: string): Promise<void>;
}
