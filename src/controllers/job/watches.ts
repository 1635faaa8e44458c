/**
 * Pure: which events trigger a sync of which Job, and which leave a pod that no sync will untrack.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import { isFinished } from "../../api/job-conditions.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { isJobReference } from "./ownership.ts";
import { hasTrackingFinalizer, stageOf } from "./pod-facts.ts";

export interface Change<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
  readonly previous?: T;
}

/**
 * Changes by a user are synced immediately, other changes soon, so that several of them share one
 * sync.
 */
export function whenToSync({ type, object, previous }: Change<Job>): "now" | "soon" {
  const isEdited = object.metadata.generation !== previous?.metadata.generation;
  return type === "MODIFIED" && !isEdited ? "soon" : "now";
}

/** Normally the pods were released before. This covers those that were not. */
export function leavesPodsTracked({ type, object }: Change<Job>): boolean {
  return type === "DELETED" || isFinished(object);
}

/** The owners of a pod before and after a change. */
export interface PodNews {
  /** The owner that the pod has lost. */
  readonly former?: OwnerReference;
  readonly owner?: OwnerReference;
  /** Whether Jobs whose selector matches should try to adopt the pod. */
  readonly isAdoptable: boolean;
}

export function newsOf(change: Change<Pod>): PodNews {
  const owner = controllerOf(change.object);
  const before = change.previous && controllerOf(change.previous);
  const former = before?.uid === owner?.uid ? undefined : before;
  return {
    ...(former ? { former } : {}),
    ...(owner ? { owner } : {}),
    isAdoptable: owner === undefined && isStaying(change) && isNewToSelectors(change, former),
  };
}

function isStaying({ type, object }: Change<Pod>): boolean {
  return type !== "DELETED" && object.metadata.deletionTimestamp === undefined;
}

function isNewToSelectors({ type, object, previous }: Change<Pod>, former?: OwnerReference) {
  return type === "ADDED" || former !== undefined || hasOtherLabels(object, previous);
}

/**
 * True if the pod has the finalizer but no Job will remove it: it has no owner, or its Job is gone
 * or finished.
 */
export function isAbandoned(pod: Pod, job: Job | undefined): boolean {
  if (!hasTrackingFinalizer(pod)) return false;
  const owner = controllerOf(pod);
  if (owner === undefined) return true;
  return isJobReference(owner) && (job === undefined || isFinished(job));
}

/** How a change affects the metric about ended pods that are still tracked. */
export function trackingEvent({
  type,
  object,
  previous,
}: Change<Pod>): "add" | "delete" | undefined {
  const was = previous !== undefined && isOverAndTracked(previous);
  const is = type !== "DELETED" && isOverAndTracked(object);
  if (was === is) return undefined;
  return is ? "add" : "delete";
}

function isOverAndTracked(pod: Pod): boolean {
  const stage = stageOf(pod);
  return (stage === "succeeded" || stage === "failed") && hasTrackingFinalizer(pod);
}

function hasOtherLabels({ metadata }: Pod, previous: Pod | undefined): boolean {
  const [labels, before] = [metadata.labels ?? {}, previous?.metadata.labels ?? {}];
  const keys = Object.keys({ ...labels, ...before });
  return keys.some((key) => labels[key] !== before[key]);
}
