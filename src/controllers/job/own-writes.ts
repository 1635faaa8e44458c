/**
 * Read-your-writes: tracks what this controller wrote for one Job. The caches must show those
 * writes before the next sync. A deletion has no revision to wait for, so the pod itself is
 * checked.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Cache } from "../../client/cache.ts";
import { isAtLeast } from "../../client/list-watch.ts";
import { hasTrackingFinalizer } from "./pod-facts.ts";

export interface OwnWrites {
  /** The latest revision written, per resource. */
  readonly revisions: { jobs: string; pods: string };
  /** Deleted pods: UID to name. */
  readonly leaving: Map<string, string>;
  /**
   * Pods that disappeared when their finalizer was removed, or were already gone: UID to name. If a
   * sync saw one with its finalizer again, it would be counted twice.
   */
  readonly released: Map<string, string>;
}

export function noWrites(): OwnWrites {
  return { revisions: { jobs: "0", pods: "0" }, leaving: new Map(), released: new Map() };
}

export function noteWrite(
  { revisions }: OwnWrites,
  resource: "jobs" | "pods",
  { metadata }: KubeObject,
): void {
  const revision = metadata.resourceVersion ?? "0";
  if (isAtLeast(revision, revisions[resource])) revisions[resource] = revision;
}

/**
 * Returns the resource whose cache is behind, or undefined if the caches show everything written.
 */
export function findUnseen(
  { revisions, leaving, released }: OwnWrites,
  namespace: string,
  caches: { readonly jobs: Cache<Job>; readonly pods: Cache<Pod> },
): "jobs" | "pods" | undefined {
  if (!caches.jobs.hasSeen(revisions.jobs)) return "jobs";
  if (!caches.pods.hasSeen(revisions.pods)) return "pods";
  for (const [uid, name] of leaving) {
    const pod = caches.pods.get(namespace, name);
    const isThere = pod?.metadata.uid === uid && pod.metadata.deletionTimestamp === undefined;
    if (isThere) return "pods";
    leaving.delete(uid);
  }
  for (const [uid, name] of released) {
    const pod = caches.pods.get(namespace, name);
    if (pod?.metadata.uid === uid && hasTrackingFinalizer(pod)) return "pods";
    released.delete(uid);
  }
  return undefined;
}
