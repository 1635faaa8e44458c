/**
 * The interface that everything above the server uses: controllers, agent and command line. In
 * process it calls the server's verbs (client/local); over the network it uses HTTP. Returned
 * objects are shared and must not be modified.
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

/** The pod of a binding. With a UID, a newer pod that has taken the same name is not accepted. */
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
  /**
   * Sends all existing objects first, then a bookmark. Only supported if the client streams lists.
   */
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
  /** All events up to this revision have been delivered, even if there were none. */
  readonly onBookmark?: (bookmark: Bookmark) => void;
  /** The watch has ended, with an error or because the server ended it. */
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
  /** The recipients that the token is for; absent: the server itself. */
  readonly audiences?: readonly string[];
  /** Default one hour, minimum ten minutes. */
  readonly expirationSeconds?: number;
  /** The token becomes invalid when this object is deleted, in addition to its expiration. */
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
  /** Indexes that are not run because they succeeded or failed before: "0-3,7". */
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

/** All methods reject with an ApiError. */
export interface Client {
  /** Whether a watch can start with all existing objects, instead of a list before it. */
  readonly streamsLists?: boolean;
  /** Whether a JSON patch is cheaper for the server than a strategic merge patch. */
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
  /** Replaces the spec.finalizers of a Namespace. */
  finalize<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
  patch<T extends KubeObject>(type: ResourceType<T>, name: Name, request: PatchRequest): Promise<T>;
  delete(type: ResourceType, name: Name, request?: DeleteRequest): Promise<void>;
  /** Assigns a node to a pod that has none. This cannot be undone. */
  bind(pod: PodName, node: string): Promise<void>;
  /** Issues a token for a ServiceAccount: the subresource "token". */
  requestToken(account: Name, spec: TokenSpec): Promise<IssuedToken>;
  /**
   * All or nothing, also after a crash. Rejects with a Conflict if the former Job is not as the
   * caller read it. Absent for a cluster, which has no such commit.
   */
  readonly submitJob?: (submission: JobSubmission) => Promise<Job>;
  /**
   * Resolves when the state at this revision can no longer be lost. Call it before acting on the
   * outside world based on that state.
   */
  durable(resourceVersion: string): Promise<void>;
}
