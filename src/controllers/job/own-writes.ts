/**
 * Read-your-writes: what this controller wrote for one Job and must see in its caches before it
 * looks at the Job again. A deletion has no revision to wait for; the pod itself tells.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Cache } from "../../client/cache.ts";
import { isAtLeast } from "../../client/list-watch.ts";
import { hasTrackingFinalizer } from "./pod-facts.ts";

export interface OwnWrites {
  /** The latest revision written of each resource. */
  readonly revisions: { jobs: string; pods: string };
  /** Deleted pods, by UID with their names. */
  readonly leaving: Map<string, string>;
  /**
   * Pods that went with their finalizer, or were gone before: seen with it once more they would be
   * counted once more.
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

/** The resource whose cache is behind, or undefined when everything written is seen. */
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
