/**
 * DELETE of one object. It is removed at once unless it has a grace period or finalizers. In that
 * case it is marked with a deletionTimestamp, and removed when the last of them is gone (by
 * verbs/update).
 */
import { isEqual } from "../../api/equal.ts";
import { conflict, notFound } from "../../api/errors.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import type { Kind } from "../../kinds/kind.ts";
import {
  fromStored,
  groupResource,
  keyOf,
  type ServerContext,
  timestamp,
  toStored,
} from "../context.ts";
import { type DeleteOptions, isDryRun } from "./delete-options.ts";

export interface Deleted {
  /**
   * The last state, which the answer contains if the kind requires it or the object still exists.
   */
  readonly object: KubeObject;
  readonly removed: boolean;
}

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

export function deleteObject(
  server: ServerContext,
  kind: Kind,
  namespace: string,
  name: string,
  options: DeleteOptions,
): Deleted {
  const stored = server.store.get(keyOf(kind, namespace, name));
  if (!stored) throw notFound(groupResource(kind), name);
  const object = fromStored(kind, stored);
  checkPreconditions(kind, object, options);
  server.admission.admit({
    operation: "delete",
    kind,
    namespace,
    object: object as Draft<KubeObject>,
    old: object,
    dryRun: isDryRun(options),
  });
  if (kind.kind === "Namespace") return deleteNamespace(server, kind, object, options);
  return deleteNow(server, kind, object, options);
}

export function checkPreconditions(kind: Kind, object: KubeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const { metadata } = object;
  const name = metadata.name ?? "";
  // Kubernetes names the kind here, while other conflicts name the resource.
  const target = { group: kind.group, resource: kind.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    const problem =
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). ` +
      "The object might have been deleted and then recreated";
    throw conflict(target, name, problem);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const problem =
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ` +
      `ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(target, name, problem);
  }
}

function deleteNow(
  server: ServerContext,
  kind: Kind,
  object: KubeObject,
  options: DeleteOptions,
): Deleted {
  const grace = decideGrace(server, kind, object, options);
  if (grace.kind === "pending") return { object, removed: false };
  const finalizers = finalizersAfter(kind, object, options);
  const marks = grace.kind === "mark" || finalizers.length > 0;
  if (!marks) return { object: remove(server, kind, object, options), removed: true };

  const next = draftOf(object);
  setFinalizers(next, finalizers);
  if (object.metadata.deletionTimestamp === undefined) {
    kind.deletion?.mark?.(next, timestamp(server.clock));
  }
  if (grace.kind === "mark") mark(next, grace.deletionTimestamp, grace.seconds);
  else if (finalizers.length > 0) mark(next, timestamp(server.clock), 0);
  const marked = write(server, kind, object, next, options);
  const waits = finalizers.length > 0 || (grace.kind === "mark" && grace.seconds > 0);
  if (waits) return { object: marked, removed: false };
  return { object: remove(server, kind, marked, options), removed: true };
}

type Grace =
  | { readonly kind: "none" }
  /** Already being deleted, and the request does not shorten the grace period. */
  | { readonly kind: "pending" }
  | { readonly kind: "mark"; readonly deletionTimestamp: string; readonly seconds: number };

function decideGrace(
  server: ServerContext,
  kind: Kind,
  object: KubeObject,
  options: DeleteOptions,
): Grace {
  const { metadata } = object;
  const asked = options.gracePeriodSeconds;
  const requested = asked !== undefined && asked < 0 ? 1 : asked;
  if (!kind.deletion?.gracePeriod) return { kind: "none" };
  if (metadata.deletionTimestamp !== undefined) {
    const before = metadata.deletionGracePeriodSeconds;
    if (before === undefined) return { kind: "none" };
    if (requested === undefined || requested >= before) return { kind: "pending" };
    const began = Date.parse(metadata.deletionTimestamp) - before * 1000;
    return {
      kind: "mark",
      deletionTimestamp: seconds(began + requested * 1000),
      seconds: requested,
    };
  }
  const granted = kind.deletion.gracePeriod(object, requested);
  if (granted === undefined) return { kind: "none" };
  const ends = server.clock.nowMs() + granted * 1000;
  return { kind: "mark", deletionTimestamp: seconds(ends), seconds: granted };
}

function seconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The finalizers of the garbage collector depend on the policy; all others stay. */
function finalizersAfter(kind: Kind, object: KubeObject, options: DeleteOptions): string[] {
  const { finalizers: given = [], deletionTimestamp } = object.metadata;
  const own = deletionTimestamp === undefined ? kind.deletion?.finalizer : undefined;
  const present = own && !given.includes(own) ? [...given, own] : given;
  const others = present.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const wanted = GARBAGE_FINALIZERS[policyOf(kind, present, options)] ?? [];
  const isUnchanged = others.length + wanted.length === new Set(present).size;
  if (isUnchanged && wanted.every((name) => present.includes(name))) return [...present];
  return [...others, ...wanted];
}

const GARBAGE_FINALIZERS: { readonly [policy: string]: readonly string[] | undefined } = {
  Orphan: [ORPHAN],
  Foreground: [FOREGROUND],
};

function policyOf(kind: Kind, finalizers: readonly string[], options: DeleteOptions): string {
  // Events have no dependents, so the garbage collector ignores them.
  if (kind.kind === "Event") return "Background";
  if (options.orphanDependents !== undefined) {
    return options.orphanDependents ? "Orphan" : "Background";
  }
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  if (finalizers.includes(ORPHAN)) return "Orphan";
  if (finalizers.includes(FOREGROUND)) return "Foreground";
  return kind.deletion?.orphansByDefault ? "Orphan" : "Background";
}

function setFinalizers(next: Draft<KubeObject>, finalizers: string[]): void {
  if (finalizers.length === 0) delete next.metadata.finalizers;
  else next.metadata.finalizers = finalizers;
}

function mark(next: Draft<KubeObject>, deletionTimestamp: string, graceSeconds: number): void {
  const first = next.metadata.deletionTimestamp === undefined;
  if (first && next.metadata.generation !== undefined) next.metadata.generation += 1;
  const { labels, annotations, ownerReferences, finalizers, ...head } = next.metadata;
  next.metadata = {
    ...head,
    deletionTimestamp:
      first || graceSeconds > 0
        ? deletionTimestamp
        : (next.metadata.deletionTimestamp ?? deletionTimestamp),
    deletionGracePeriodSeconds: graceSeconds,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
}

function write(
  server: ServerContext,
  kind: Kind,
  old: KubeObject,
  next: Draft<KubeObject>,
  options: DeleteOptions,
): KubeObject {
  // The object is already marked: do not write it again.
  if (isEqual(next, old)) return old;
  if (isDryRun(options)) return next;
  const { namespace = "", name = "", resourceVersion = "" } = old.metadata;
  const key = keyOf(kind, namespace, name);
  return fromStored(kind, server.store.update(key, toStored(kind, next), resourceVersion));
}

function remove(
  server: ServerContext,
  kind: Kind,
  object: KubeObject,
  options: DeleteOptions,
): KubeObject {
  if (isDryRun(options)) return object;
  const { namespace = "", name = "", resourceVersion = "" } = object.metadata;
  const removed = server.store.remove(keyOf(kind, namespace, name), resourceVersion);
  return fromStored(kind, removed);
}

/** A namespace is Terminating until the finalizers in its spec are removed. */
function deleteNamespace(
  server: ServerContext,
  kind: Kind,
  object: KubeObject,
  options: DeleteOptions,
): Deleted {
  const holds = (object as { spec?: { finalizers?: readonly string[] } }).spec?.finalizers ?? [];
  if (object.metadata.deletionTimestamp === undefined) {
    const next = draftOf(object) as Draft<KubeObject> & { status: { phase?: string } };
    const { labels, annotations, ownerReferences, finalizers, ...head } = next.metadata;
    next.metadata = {
      ...head,
      deletionTimestamp: timestamp(server.clock),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      ...(finalizers === undefined ? {} : { finalizers }),
    };
    next.status = { ...next.status, phase: "Terminating" };
    setFinalizers(next, finalizersAfter(kind, object, options));
    const marked = write(server, kind, object, next, options);
    if (holds.length > 0) return { object: marked, removed: false };
    return deleteNow(server, kind, marked, options);
  }
  if (holds.length > 0) return { object, removed: false };
  return deleteNow(server, kind, object, options);
}
