/**
 * One round of the scheduler: assigns nodes to the waiting pods in order while there is room, then
 * reports why the others have none. Pods are not reconciled individually: a single key in the work
 * queue stands for all of them.
 */
import { ApiError } from "../../api/errors.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import { decideNode, type NodeDecision, objectionTo, type Refusal } from "./decide.ts";
import type { Placement } from "./memory.ts";
import { observePod } from "./observe.ts";
import type { PendingPod } from "./pending-pods.ts";
import { considerPreemption, type Preemption, preempt } from "./preempt.ts";
import { type Preparation, preparednessOf, prepareVolumes } from "./prepare-volumes.ts";
import type { NodeRoom } from "./rooms.ts";
import type { Scheduling } from "./scheduling.ts";
import { storageNeeds } from "./storage.ts";

/** Over the network a binding is mostly waiting, so several run concurrently. */
const BINDINGS_AT_ONCE = 32;
/** After this many pods the round ends, so that other work gets its turn. */
const PODS_PER_ROUND = 1024;
const NEXT_ROUND_MS = 1;

export async function reconcile(scheduling: Scheduling): Promise<Outcome> {
  // Yield first, so that the code whose change triggered the scheduler continues without delay.
  await Promise.resolve();
  for (let count = 0; count < PODS_PER_ROUND; count += BINDINGS_AT_ONCE) {
    const prepared = takePrepared(scheduling);
    const { placements, preparations, preemptions } = placeSome(scheduling);
    const begun = prepared.length + placements.length + preparations.length + preemptions.length;
    if (begun === 0) return tellRefused(scheduling);
    const errors = await Promise.all([
      ...prepared.map((each) => bind(scheduling, each)),
      ...placements.map((each) => bind(scheduling, each)),
      ...preparations.map((each) => prepare(scheduling, each)),
      ...preemptions.map((each) => preempt(scheduling, each)),
    ]);
    const failure = errors.find((error) => error !== undefined);
    if (failure !== undefined) throw failure;
  }
  return after(NEXT_ROUND_MS);
}

/**
 * Returns the pods whose volumes are bound. Pods whose volumes can no longer be bound are queued
 * again.
 */
function takePrepared({ memory, storage, clock, cache }: Scheduling): readonly Placement[] {
  if (memory.preparing.size === 0) return NONE;
  const ready: Placement[] = [];
  for (const [key, placement] of memory.preparing) {
    const state = preparednessOf(placement.pod, storage);
    if (state === "waiting") continue;
    memory.preparing.delete(key);
    if (state === "ready") ready.push(placement);
    else putBack({ memory, clock, cache }, placement.pod);
  }
  return ready;
}

const NONE: readonly Placement[] = [];

interface Places {
  readonly placements: readonly Placement[];
  /** Placements whose volumes have to be bound first. */
  readonly preparations: readonly Preparation[];
  readonly preemptions: readonly Preemption[];
}

/**
 * The chosen pods count as placed from here on, so that the next pod is not given the same
 * resources.
 */
function placeSome(scheduling: Scheduling): Places {
  const { pending, rooms, nominations } = scheduling.memory;
  const placements: Placement[] = [];
  const preparations: Preparation[] = [];
  const preemptions: Preemption[] = [];
  const begun = () => placements.length + preparations.length + preemptions.length;
  while (begun() < BINDINGS_AT_ONCE) {
    const first = pending.first();
    if (!first) break;
    const pod = withStorage(scheduling, first);
    const found = nominations.roomsFor(pod.key, pod.needs, rooms.nodes);
    const decision = chooseNode(pod, found);
    if (decision.kind === "refuse") {
      const preemption = refuse(scheduling, pod, found, decision);
      if (preemption) preemptions.push(preemption);
      continue;
    }
    const { node } = decision;
    pending.remove(pod.key);
    nominations.remove(pod.key);
    rooms.charge(pod.key, { uid: pod.uid, node, needs: pod.needs });
    const unbound = pod.needs.storage?.unbound ?? [];
    const facts = rooms.findNode(node);
    if (unbound.length === 0 || !facts) placements.push({ pod, node });
    else preparations.push({ pod, node: facts, unbound });
  }
  return { placements, preparations, preemptions };
}

/** Adds the current requirements of the pod's claims, which may change while it waits. */
function withStorage({ storage }: Scheduling, pod: PendingPod): PendingPod {
  const { claims } = pod.needs;
  if (claims === undefined) return pod;
  return { ...pod, needs: { ...pod.needs, storage: storageNeeds(claims, storage) } };
}

/** Prefers the nominated node if the pod fits there now. */
function chooseNode(
  { needs, nominatedNode }: PendingPod,
  rooms: readonly NodeRoom[],
): NodeDecision {
  const nominated = rooms.filter(({ facts }) => facts.name === nominatedNode);
  const [hoped] = nominated;
  return decideNode(needs, hoped && !objectionTo(hoped, needs) ? nominated : rooms);
}

/** The pod waits for a node to change, or for preempted pods to end. */
function refuse(
  scheduling: Scheduling,
  pod: PendingPod,
  rooms: readonly NodeRoom[],
  { message, isHopeless }: Refusal,
): Preemption | undefined {
  const { memory, metrics } = scheduling;
  const { pending, nominations } = memory;
  metrics.refused();
  if (rooms.length === 0) {
    pending.refuse(pod, { message, isHopeless });
    return undefined;
  }
  const decision = considerPreemption(scheduling, pod, rooms);
  if (decision.kind === "none") {
    pending.refuse(pod, { message: `${message} ${PREEMPTION}${decision.message}`, isHopeless });
    return undefined;
  }
  const { node, victims } = decision;
  const uids = new Set(victims.map(({ uid }) => uid));
  nominations.set(pod.key, { node, needs: pod.needs, victims: uids });
  const nominated = pending.nominate(pod, node);
  pending.refuse(nominated, { message, isHopeless });
  return { pod: nominated, node, victims, message };
}

/** The wording of Kubernetes, whose scheduler collects messages from its plugins. */
const PREEMPTION = "no new claims to deallocate, preemption: ";

/** Returns the error if the binding should be retried. */
async function bind(scheduling: Scheduling, { pod, node }: Placement): Promise<unknown> {
  const { client, clock, cache, memory, notices, metrics } = scheduling;
  const [namespace = "", name = ""] = pod.key.split("/");
  try {
    await client.bind({ namespace, name, uid: pod.uid }, node);
  } catch (error) {
    metrics.failed();
    putBack({ memory, clock, cache }, pod);
    const isOver = error instanceof ApiError && memory.pending.find(pod.key) === undefined;
    return isOver ? undefined : error;
  }
  metrics.placed((clock.monotonicMs() - pod.sinceMs) / 1000);
  const object = cache.get(namespace, name);
  if (object) notices.placed(object, node);
  return undefined;
}

/** Queues the pod again if it still exists. */
function putBack(
  { memory, clock, cache }: Pick<Scheduling, "memory" | "clock" | "cache">,
  { key }: PendingPod,
): void {
  const [namespace = "", name = ""] = key.split("/");
  memory.rooms.release(key);
  memory.pending.reconsider();
  const object = cache.get(namespace, name);
  if (object) observePod(memory, { type: "MODIFIED", object }, clock.monotonicMs());
}

/** Returns the error if it should be retried. */
async function prepare(scheduling: Scheduling, preparation: Preparation): Promise<unknown> {
  const { client, memory, metrics } = scheduling;
  const { pod, node } = preparation;
  memory.preparing.set(pod.key, { pod, node: node.name });
  try {
    await prepareVolumes(client, preparation);
    return undefined;
  } catch (error) {
    metrics.failed();
    memory.preparing.delete(pod.key);
    putBack(scheduling, pod);
    return error;
  }
}

const TELLINGS_AT_ONCE = 256;

async function tellRefused({ memory, clock, cache, notices }: Scheduling): Promise<Outcome> {
  const { pods, delayMs } = memory.pending.takeUntold(clock.monotonicMs(), TELLINGS_AT_ONCE);
  for (const { pod, message } of pods) {
    const [namespace = "", name = ""] = pod.key.split("/");
    const object = cache.get(namespace, name);
    // The pod may have been placed while others were being told.
    if (!object || memory.pending.find(pod.key) !== pod) continue;
    try {
      await notices.refused(object, message);
    } catch (error) {
      memory.pending.retell(pod);
      throw error;
    }
  }
  if (delayMs === undefined) return done;
  return after(Math.max(delayMs, NEXT_ROUND_MS));
}
