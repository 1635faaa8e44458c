/**
 * GET of a collection with watch=true: initial objects, then every change once it is on disk. An
 * object that enters or leaves the selection appears as ADDED or DELETED.
 */
import { expired } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { apiVersionOf, type Kind, storageResource } from "../../kinds/kind.ts";
import { type Change, ExpiredRevision, type Subscription } from "../../store/types.ts";
import { fromStored, type ServerContext } from "../context.ts";
import { type ListOptions, parseRevision, validateListOptions } from "./list.ts";
import { parseSelection } from "./selection.ts";

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  readonly revision: number;
}

export interface Watching {
  /** Existing objects, sent as ADDED. */
  readonly initial: readonly KubeObject[];
  /** The revision of the initial objects, or at which the watch starts. */
  readonly revision: number;
  /** Whether a bookmark must mark the end of the initial objects. */
  readonly marksInitialEnd: boolean;
  /** Watches with the same scope see the same events; absent if the watch has a selector. */
  readonly scope?: string;
  /** The first changes after a revision that are on disk; undefined if there are none. */
  past(after: number, limit: number): WatchBatch | undefined;
  /** Delivers changes after `after`, which is a later revision if the watch resumes. */
  start(listener: (batch: WatchBatch) => void, after?: number): Subscription;
}

/** Changes that became durable together. */
export interface WatchBatch {
  /** The same array for every watch of the resource. */
  readonly changes: readonly Change[];
  /** The events of this watch. */
  events(): readonly WatchEvent[];
}

export function watch(
  server: ServerContext,
  kind: Kind,
  namespace: string | undefined,
  options: ListOptions,
): Watching {
  validateListOptions({ ...options, watch: true });
  const { matches, lookup } = parseSelection(kind, options);
  const from = options.resourceVersion ?? "";
  const asked = from === "" ? 0 : parseRevision(from);
  const sendsInitial = options.sendInitialEvents ?? asked === 0;
  const resource = storageResource(kind);
  const query = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(matches ? { matches: (stored: KubeObject) => matches(fromStored(kind, stored)) } : {}),
    ...(lookup ? { lookup } : {}),
  };
  const initial = sendsInitial ? server.store.list(resource, query).items : [];
  const revision = sendsInitial || asked === 0 ? server.store.revision : asked;
  const toEvent = eventFilter(kind, namespace, matches);
  return {
    initial: initial.map((stored) => fromStored(kind, stored)),
    revision,
    marksInitialEnd: sendsInitial && options.allowWatchBookmarks === true,
    ...(matches ? {} : { scope: `${apiVersionOf(kind)}/${kind.resource}/${namespace ?? ""}` }),
    past: (after, limit) => {
      const changes = guardExpired(after, () => server.store.durableAfter(resource, after, limit));
      return changes.length === 0 ? undefined : batchOf(changes, toEvent);
    },
    start: (listener, after = revision) =>
      guardExpired(after, () =>
        server.store.subscribeDurable(resource, after, (changes) =>
          listener(batchOf(changes, toEvent)),
        ),
      ),
  };
}

/**
 * The watch for components inside the process: delivers changes at once, without waiting for the
 * disk, and no initial objects.
 */
export function follow(
  server: ServerContext,
  kind: Kind,
  namespace: string | undefined,
  options: ListOptions & { readonly resourceVersion: string },
  listener: (event: WatchEvent) => void,
): Subscription {
  const { matches } = parseSelection(kind, options);
  const toEvent = eventFilter(kind, namespace, matches);
  const after = parseRevision(options.resourceVersion);
  return guardExpired(after, () =>
    server.store.subscribe(storageResource(kind), after, (change) => {
      const event = toEvent(change);
      if (event) listener(event);
    }),
  );
}

function batchOf(
  changes: readonly Change[],
  toEvent: (change: Change) => WatchEvent | undefined,
): WatchBatch {
  return {
    changes,
    events: () => changes.map(toEvent).filter((event) => event !== undefined),
  };
}

function guardExpired<T>(after: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ExpiredRevision)) throw error;
    throw expired(`too old resource version: ${after} (${error.oldest})`);
  }
}

function eventFilter(
  kind: Kind,
  namespace: string | undefined,
  matches: ((object: KubeObject) => boolean) | undefined,
): (change: Change) => WatchEvent | undefined {
  return (change) => {
    if (namespace !== undefined && change.key.namespace !== namespace) return undefined;
    const { revision } = change;
    const object = fromStored(kind, change.object);
    if (!matches) return { type: change.type, object, revision };
    const before = change.previous ? matches(fromStored(kind, change.previous)) : false;
    const after = change.type !== "DELETED" && matches(object);
    if (after) return { type: before ? "MODIFIED" : "ADDED", object, revision };
    if (!before) return undefined;
    return { type: "DELETED", object: leaving(kind, change), revision };
  };
}

/** An object that left the selection is sent in its last matching state, with the new revision. */
function leaving(kind: Kind, change: Change): KubeObject {
  if (change.type === "DELETED" || !change.previous) return fromStored(kind, change.object);
  const previous = fromStored(kind, change.previous);
  const resourceVersion = String(change.revision);
  return { ...previous, metadata: { ...previous.metadata, resourceVersion } };
}
