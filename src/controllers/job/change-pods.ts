/**
 * Carries out the decided pod changes and returns what actually happened. Pods are created in
 * growing batches (1, 2, 4, …), so that if the server rejects one, few further requests fail for
 * the same reason.
 */

import type { Client, Name } from "../../api/client.ts";
import { ApiError, isNamespaceTerminating } from "../../api/errors.ts";
import type { FeatureGates } from "../../api/feature-gates.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { pods } from "../../api/resources.ts";
import { describeError } from "../../base/describe-error.ts";
import { isNotFound } from "../../client/find.ts";
import type { EventRecorder } from "../runtime/recorder.ts";
import { letsSurplusFinish } from "./annotations.ts";
import { MAX_POD_CHANGES } from "./names.ts";
import { podFactory } from "./new-pod.ts";
import { noteWrite, type OwnWrites } from "./own-writes.ts";
import { STOPPED_BY_JOB, UNTRACK, untrackingAsSeen } from "./ownership.ts";
import type { PlannedPod, PodChanges } from "./pod-changes.ts";
import type { KnownPod } from "./scoreboard.ts";
import type { PodsChanged } from "./status.ts";
import type { Dress } from "./work-list.ts";

export interface Hands {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly writes: OwnWrites;
  readonly gates: FeatureGates;
  /** Present if each pod gets its own item of a work list. */
  readonly dress?: Dress;
}

const NOTHING: PodsChanged = { created: 0, removed: 0, removedReady: 0, errors: [] };

export async function changePods(
  hands: Hands,
  job: Job,
  changes: PodChanges,
): Promise<PodsChanged> {
  switch (changes.kind) {
    case "create":
      return createPods(hands, job, changes.pods);
    case "remove":
      return deletePods(hands, job, changes.pods, (known) => untrack(hands, known));
    case "stop":
      return deletePods(hands, job, changes.pods, (known) => markStopping(hands, known));
    case "terminate":
      return deletePods(hands, job, changes.pods, (known) => untrackUnbound(hands, job, known));
    default:
      return NOTHING;
  }
}

export interface Released {
  /** Pods that are already gone are included. */
  readonly uids: ReadonlySet<string>;
  readonly errors: readonly unknown[];
}

export async function releasePods(hands: Hands, known: readonly KnownPod[]): Promise<Released> {
  const uids = new Set<string>();
  const errors: unknown[] = [];
  await inBatches(known, async (each) => {
    try {
      await untrack(hands, each);
      uids.add(each.uid);
    } catch (error) {
      if (isNotFound(error)) uids.add(each.uid);
      else errors.push(error);
    }
  });
  return { uids, errors };
}

async function createPods(
  hands: Hands,
  job: Job,
  planned: readonly PlannedPod[],
): Promise<PodsChanged> {
  const { client, recorder, writes, gates } = hands;
  const make = podFactory(job, gates);
  const build = (plan: PlannedPod) => hands.dress?.(make(plan), plan.index ?? 0) ?? make(plan);
  const errors: unknown[] = [];
  let created = 0;
  let isClosing = false;
  const createOne = async (plan: PlannedPod): Promise<void> => {
    try {
      const pod = await client.create(pods, build(plan));
      noteWrite(writes, "pods", pod);
      created++;
      recorder.event(job, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
    } catch (error) {
      if (isNamespaceTerminating(error)) {
        isClosing = true;
        return;
      }
      errors.push(error);
      recorder.event(job, "Warning", "FailedCreate", `Error creating: ${describeError(error)}`);
    }
  };
  for (let at = 0, size = 1; at < planned.length; at += size, size *= 2) {
    await Promise.all(planned.slice(at, at + size).map(createOne));
    if (errors.length > 0 || isClosing) break;
  }
  return { ...NOTHING, created, errors };
}

async function deletePods(
  hands: Hands,
  job: Job,
  known: readonly KnownPod[],
  before?: (known: KnownPod) => Promise<void>,
): Promise<PodsChanged> {
  const errors: unknown[] = [];
  let removed = 0;
  let removedReady = 0;
  await inBatches(known, async (each) => {
    try {
      if (each.isTracked) await before?.(each);
      await deletePod(hands, job, each);
    } catch (error) {
      if (!isNotFound(error)) {
        errors.push(error);
        return;
      }
    }
    removed++;
    if (each.isReady) removedReady++;
  });
  return { ...NOTHING, removed, removedReady, errors };
}

async function deletePod(
  { client, recorder, writes }: Hands,
  job: Job,
  known: KnownPod,
): Promise<void> {
  const name = nameOf(known);
  try {
    await client.delete(pods, name);
    writes.leaving.set(known.uid, name.name);
    recorder.event(job, "Normal", "SuccessfulDelete", `Deleted pod: ${name.name}`);
  } catch (error) {
    if (!isNotFound(error)) {
      recorder.event(job, "Warning", "FailedDelete", `Error deleting: ${describeError(error)}`);
    }
    throw error;
  }
}

async function markStopping(hands: Hands, known: KnownPod): Promise<void> {
  if (!known.pod.spec.nodeName) return untrack(hands, known);
  const pod = await hands.client.patch(pods, nameOf(known), STOPPED_BY_JOB);
  noteWrite(hands.writes, "pods", pod);
}

/**
 * In the mode in which each pod is counted by how it ends, a pod without a node must be untracked
 * here: no node would ever report its end.
 */
async function untrackUnbound(hands: Hands, job: Job, known: KnownPod): Promise<void> {
  if (letsSurplusFinish(job) && !known.pod.spec.nodeName) await untrack(hands, known);
}

async function untrack({ client, writes }: Hands, known: KnownPod): Promise<void> {
  const name = nameOf(known);
  try {
    const pod = await takeFinalizerOff(client, known.pod, name);
    noteWrite(writes, "pods", pod);
    // If this was the last finalizer, the pod is now gone, at a revision that the response does not
    // contain.
    if (pod.metadata.deletionTimestamp !== undefined) writes.released.set(known.uid, name.name);
  } catch (error) {
    if (isNotFound(error)) writes.released.set(known.uid, name.name);
    throw error;
  }
}

async function takeFinalizerOff(client: Client, pod: Pod, name: Name): Promise<Pod> {
  const asSeen = client.prefersJsonPatches ? untrackingAsSeen(pod) : undefined;
  if (!asSeen) return client.patch(pods, name, UNTRACK);
  try {
    return await client.patch(pods, name, asSeen);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 422)) throw error;
    return client.patch(pods, name, UNTRACK);
  }
}

async function inBatches<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += MAX_POD_CHANGES) {
    await Promise.all(items.slice(at, at + MAX_POD_CHANGES).map(run));
  }
}

function nameOf({ pod }: KnownPod): Name {
  const { namespace = "", name = "" } = pod.metadata;
  return { namespace, name };
}
