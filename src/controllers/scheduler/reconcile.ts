/**
 * One round of the scheduler: every pod that waits is given a node, in order, as long as there is
 * room; then those that have none hear why. Nothing is decided on a pod's own: the key of the work
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

/** Over the wire a binding is mostly waiting. */
const BINDINGS_AT_ONCE = 32;
/** After so many pods others have their turn. */
const PODS_PER_ROUND = 1024;
const NEXT_ROUND_MS = 1;

export async function reconcile(scheduling: Scheduling): Promise<Outcome> {
  // Whoever changed what woke the scheduler goes on first.
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

/** Those whose volumes are there, or will not come: these are asked about again. */
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
  /** Those with volumes that are bound when it is known where. */
  readonly preparations: readonly Preparation[];
  readonly preemptions: readonly Preemption[];
}

/** They count as placed from here on: the next one must not be given the same room. */
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

/** With what its claims ask for as they are now; they change while it waits. */
function withStorage({ storage }: Scheduling, pod: PendingPod): PendingPod {
  const { claims } = pod.needs;
  if (claims === undefined) return pod;
  return { ...pod, needs: { ...pod.needs, storage: storageNeeds(claims, storage) } };
}

/** Where others made room for it, if that will do. */
function chooseNode(
  { needs, nominatedNode }: PendingPod,
  rooms: readonly NodeRoom[],
): NodeDecision {
  const nominated = rooms.filter(({ facts }) => facts.name === nominatedNode);
  const [hoped] = nominated;
  return decideNode(needs, hoped && !objectionTo(hoped, needs) ? nominated : rooms);
}

/** It waits, for a node to change or for those that have to go for it. */
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

/** The words of Kubernetes, whose scheduler asks its plugins in turn what they could do. */
const PREEMPTION = "no new claims to deallocate, preemption: ";

/** Answers with the error that is worth another try. */
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

/** It goes on waiting, if it is still there. */
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

/** Answers with the error that is worth another try. */
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
    // While others were told, its turn may have come.
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
