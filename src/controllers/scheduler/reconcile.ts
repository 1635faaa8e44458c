/**
 * One round of the scheduler: every pod that waits is given a node, in order, as long as there is
 * room; then those that have none hear why. Nothing is decided on a pod's own: the key of the work
 * queue stands for all of them.
 */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { Clock } from "../../base/clock.ts";
import type { Cache } from "../../client/cache.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import { decideNode } from "./decide.ts";
import type { SchedulerMemory } from "./memory.ts";
import type { Notices } from "./notices.ts";
import { observePod } from "./observe.ts";
import type { PendingPod } from "./pending-pods.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";

export interface Scheduling {
  readonly client: Client;
  readonly clock: Clock;
  readonly cache: Cache<Pod>;
  readonly memory: SchedulerMemory;
  readonly notices: Notices;
  readonly metrics: SchedulerMetrics;
}

/** Over the wire a binding is mostly waiting. */
const BINDINGS_AT_ONCE = 32;
/** After so many pods others have their turn. */
const PODS_PER_ROUND = 1024;
const NEXT_ROUND_MS = 1;

export async function reconcile(scheduling: Scheduling): Promise<Outcome> {
  // Whoever changed what woke the scheduler goes on first.
  await Promise.resolve();
  for (let count = 0; count < PODS_PER_ROUND; count += BINDINGS_AT_ONCE) {
    const placements = placeSome(scheduling);
    if (placements.length === 0) return tellRefused(scheduling);
    const errors = await Promise.all(placements.map((each) => bind(scheduling, each)));
    const failure = errors.find((error) => error !== undefined);
    if (failure !== undefined) throw failure;
  }
  return after(NEXT_ROUND_MS);
}

interface Placement {
  readonly pod: PendingPod;
  readonly node: string;
}

/** They count as placed from here on: the next one must not be given the same room. */
function placeSome({ memory, metrics }: Scheduling): Placement[] {
  const { pending, rooms } = memory;
  const placements: Placement[] = [];
  while (placements.length < BINDINGS_AT_ONCE) {
    const pod = pending.first();
    if (!pod) break;
    const decision = decideNode(pod.needs, rooms.nodes);
    if (decision.kind === "refuse") {
      pending.refuse(pod, decision);
      metrics.refused();
      continue;
    }
    const { node } = decision;
    pending.remove(pod.key);
    rooms.charge(pod.key, { uid: pod.uid, node, needs: pod.needs });
    placements.push({ pod, node });
  }
  return placements;
}

/** Answers with the error that is worth another try. */
async function bind(scheduling: Scheduling, { pod, node }: Placement): Promise<unknown> {
  const { client, clock, cache, memory, notices, metrics } = scheduling;
  const [namespace = "", name = ""] = pod.key.split("/");
  try {
    await client.bind({ namespace, name, uid: pod.uid }, node);
  } catch (error) {
    metrics.failed();
    memory.rooms.release(pod.key);
    memory.pending.reconsider();
    const object = cache.get(namespace, name);
    if (object) observePod(memory, { type: "MODIFIED", object }, clock.monotonicMs());
    const isOver = error instanceof ApiError && memory.pending.find(pod.key) === undefined;
    return isOver ? undefined : error;
  }
  metrics.placed((clock.monotonicMs() - pod.sinceMs) / 1000);
  const object = cache.get(namespace, name);
  if (object) notices.placed(object, node);
  return undefined;
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
