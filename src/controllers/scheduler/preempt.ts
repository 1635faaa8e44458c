/**
 * Preempts pods in favour of one with higher priority: selects victims, deletes and reports them.
 */
import type { Pod } from "../../api/generated/core.ts";
import type { PodDisruptionBudget } from "../../api/generated/policy.ts";
import { pods } from "../../api/resources.ts";
import { selects } from "../../api/selectors/label-selector.ts";
import { millisecondsOf } from "../../api/time.ts";
import type { Cache } from "../../client/cache.ts";
import { isNotFound } from "../../client/find.ts";
import { type Disruption, disruptPod } from "../runtime/disrupt-pod.ts";
import { objectionTo } from "./decide.ts";
import {
  type Budget,
  type Candidate,
  decidePreemption,
  type PreemptionDecision,
} from "./decide-preemption.ts";
import type { PendingPod } from "./pending-pods.ts";
import type { ChargedPod, NodeRoom } from "./rooms.ts";
import type { Scheduling } from "./scheduling.ts";

export interface Preemption {
  readonly pod: PendingPod;
  readonly node: string;
  readonly victims: readonly Candidate[];
  /** Why the pod does not fit yet. */
  readonly message: string;
}

const DISRUPTION: Disruption = {
  reason: "PreemptionByScheduler",
  message: "default-scheduler: preempting to accommodate a higher priority pod",
};

/** Called for a pod that fits on no node. `rooms` are as that pod sees them. */
export function considerPreemption(
  scheduling: Scheduling,
  { key, needs }: PendingPod,
  rooms: readonly NodeRoom[],
): PreemptionDecision {
  const { memory, cache, budgets, clock } = scheduling;
  const none = (message: string) => ({ kind: "none", message }) as const;
  if (!needs.preempts) return none("not eligible due to preemptionPolicy=Never.");
  const charged = memory.rooms.hasBelow(needs.priority)
    ? memory.rooms.chargesBelow(needs.priority)
    : new Map<string, readonly ChargedPod[]>();
  const nomination = memory.nominations.find(key);
  const nominated = rooms.find(({ facts }) => facts.name === nomination?.node);
  if (nomination && nominated && !objectionTo(nominated, needs)?.isHopeless) {
    const isLeaving = ({ key: pod, uid }: ChargedPod) =>
      nomination.victims.has(uid) || isPreempted(findPod(cache, pod));
    if (charged.get(nomination.node)?.some(isLeaving)) {
      return none("not eligible due to a terminating pod on the nominated node.");
    }
  }
  const candidates = new Map<string, readonly Candidate[]>();
  for (const [node, here] of charged) {
    candidates.set(
      node,
      here.map((each) => candidateOf(each, findPod(cache, each.key), clock.nowMs())),
    );
  }
  const all = candidates.size > 0 ? budgets.list().map(budgetOf) : [];
  return decidePreemption({ needs, rooms, candidates, budgets: all });
}

/** Returns the error if the preemption should be retried. */
export async function preempt(scheduling: Scheduling, preemption: Preemption): Promise<unknown> {
  const { memory, cache, notices, metrics } = scheduling;
  const { pod, node, victims, message } = preemption;
  try {
    await Promise.all(victims.map((each) => endVictim(scheduling, each, preemption)));
    const weaker = memory.nominations.below(node, pod.needs.priority);
    for (const each of weaker) memory.nominations.remove(each);
    await Promise.all(weaker.map((each) => unnominate(scheduling, each)));
    const object = findPod(cache, pod.key);
    if (object?.metadata.uid === pod.uid) await notices.refused(object, message, node);
  } catch (error) {
    metrics.failed();
    // Possibly no victim is terminating, so victims have to be selected again.
    memory.nominations.remove(pod.key);
    memory.pending.reconsider();
    return error;
  }
  metrics.preempted(victims.length);
  return undefined;
}

async function endVictim(
  { client, clock, cache, notices, gates }: Scheduling,
  { key, uid }: Candidate,
  { pod, node }: Preemption,
): Promise<void> {
  const object = findPod(cache, key);
  if (object?.metadata.uid !== uid || object.metadata.deletionTimestamp !== undefined) return;
  const isThere = await disruptPod(client, object, {
    disruption: DISRUPTION,
    gates,
    nowMs: clock.nowMs(),
  });
  if (isThere) notices.preempted(object, `Preempted by pod ${pod.uid} on node ${node}`);
}

/** A pod of higher priority is now nominated to the same node. */
async function unnominate({ client }: Scheduling, key: string): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  const body = { status: { nominatedNodeName: null } };
  try {
    await client.patch(pods, { namespace, name }, { type: "merge", subresource: "status", body });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function findPod(cache: Cache<Pod>, key: string): Pod | undefined {
  const [namespace = "", name = ""] = key.split("/");
  return cache.get(namespace, name);
}

function isPreempted(pod: Pod | undefined): boolean {
  if (pod?.metadata.deletionTimestamp === undefined) return false;
  return (pod.status.conditions ?? []).some(
    ({ type, status, reason }) =>
      type === "DisruptionTarget" && status === "True" && reason === DISRUPTION.reason,
  );
}

function candidateOf({ key, uid, needs }: ChargedPod, pod: Pod | undefined, nowMs: number) {
  const [namespace = "", name = ""] = key.split("/");
  const { startTime } = pod?.status ?? {};
  const startMs = startTime ? millisecondsOf(startTime) : nowMs;
  return { key, uid, namespace, name, labels: pod?.metadata.labels ?? {}, needs, startMs };
}

/**
 * As in Kubernetes, a budget without a selector, or with one that selects everything, is ignored
 * here.
 */
function budgetOf({ metadata, spec, status }: PodDisruptionBudget): Budget {
  const { matchLabels = {}, matchExpressions = [] } = spec.selector ?? {};
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
  const isSelected = selects(spec.selector);
  return {
    namespace: metadata.namespace ?? "",
    covers: (labels) =>
      !isEmpty &&
      Object.keys(labels).length > 0 &&
      isSelected({ apiVersion: "v1", kind: "Pod", metadata: { labels } }),
    disruptionsAllowed: status.disruptionsAllowed ?? 0,
    disrupted: new Set(Object.keys(status.disruptedPods ?? {})),
  };
}
