/**
 * The one interface everything above the server is written against: controllers, agent and command
 * line. In process it calls the server's verbs (client/local); over the wire it speaks HTTP.
 * Objects that come out are shared and must not be changed.
 */
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
}

export interface ObjectEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

export interface WatchHandlers<T> {
  readonly onEvent: (event: ObjectEvent<T>) => void;
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

/** Failures are ApiErrors. */
export interface Client {
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
  /**
   * Settles when what was read or written at this revision cannot be lost any more. Whoever acts
   * on the world outside waits for it before.
   */
  durable(resourceVersion: string): Promise<void>;
}
