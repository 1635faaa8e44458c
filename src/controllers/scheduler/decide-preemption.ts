/**
 * Pure: chooses the pods to preempt for a pod of higher priority. On each node where the pod would
 * fit without its lower-priority pods, these are all removed hypothetically and then added back one
 * by one while the pod still fits: first pods whose PodDisruptionBudget would be violated, then
 * pods in order of importance. Among the nodes, the one with the smallest loss is chosen. All
 * orders are those of Kubernetes.
 */
import { formatObjections, type Objection, objectionTo } from "./decide.ts";
import type { PodNeeds } from "./needs.ts";
import { type NodeRoom, type NodeUse, supposeUse } from "./rooms.ts";

export interface Candidate {
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  readonly needs: PodNeeds;
  readonly startMs: number;
}

export interface Budget {
  readonly namespace: string;
  readonly covers: (labels: Candidate["labels"]) => boolean;
  readonly disruptionsAllowed: number;
  /** Names of pods that are already counted against the budget. */
  readonly disrupted: ReadonlySet<string>;
}

export interface Preempting {
  readonly needs: PodNeeds;
  readonly rooms: readonly NodeRoom[];
  /** The pods of lower priority, by node. */
  readonly candidates: ReadonlyMap<string, readonly Candidate[]>;
  readonly budgets: readonly Budget[];
}

export type PreemptionDecision =
  | { readonly kind: "preempt"; readonly node: string; readonly victims: readonly Candidate[] }
  | { readonly kind: "none"; readonly message: string };

export function decidePreemption(preempting: Preempting): PreemptionDecision {
  const { needs, rooms, candidates } = preempting;
  const offers: Offer[] = [];
  const objections: Objection[] = [];
  for (const room of rooms) {
    const here = candidates.get(room.facts.name) ?? [];
    const found = objectionTo(room, needs)?.isHopeless
      ? NOT_HELPFUL
      : selectVictims(preempting, room, here);
    if ("reasons" in found) objections.push(found);
    else offers.push(found);
  }
  const [first, ...others] = offers;
  if (!first) return { kind: "none", message: formatObjections(rooms.length, objections) };
  const best = others.reduce((one, other) => (losesLess(other, one) ? other : one), first);
  return { kind: "preempt", node: best.node, victims: best.victims };
}

interface Offer {
  readonly node: string;
  /** The most important first. */
  readonly victims: readonly Candidate[];
  readonly violations: number;
}

const NOT_HELPFUL: Objection = {
  reasons: ["Preemption is not helpful for scheduling"],
  isHopeless: true,
};
const NO_VICTIMS: Objection = {
  reasons: ["No preemption victims found for incoming pod"],
  isHopeless: false,
};

function selectVictims(
  { needs, budgets }: Preempting,
  { facts, use }: NodeRoom,
  candidates: readonly Candidate[],
): Offer | Objection {
  if (candidates.length === 0) return NO_VICTIMS;
  const objectionWith = (supposed: NodeUse) => objectionTo({ facts, use: supposed }, needs);
  let left = supposeUse(use, { removed: candidates.map((each) => each.needs) });
  const objection = objectionWith(left);
  if (objection) return objection;
  const sorted = candidates.toSorted(byImportance);
  const violating = violatingOf(sorted, budgets);
  const inTurn = [...violating, ...sorted.filter((each) => !violating.has(each))];
  const victims: Candidate[] = [];
  for (const each of inTurn) {
    const kept = supposeUse(left, { added: [each.needs] });
    if (objectionWith(kept)) victims.push(each);
    else left = kept;
  }
  if (victims.length === 0) return NO_VICTIMS;
  return {
    node: facts.name,
    victims: victims.sort(byImportance),
    violations: victims.filter((each) => violating.has(each)).length,
  };
}

/** Higher priority first; within a priority, the pod that has run longer. */
function byImportance(one: Candidate, other: Candidate): number {
  return other.needs.priority - one.needs.priority || one.startMs - other.startMs;
}

/**
 * Pods that a budget does not allow to disrupt, after the pods before them are counted against it.
 */
function violatingOf(
  sorted: readonly Candidate[],
  budgets: readonly Budget[],
): ReadonlySet<Candidate> {
  const allowed = new Map(budgets.map((budget) => [budget, budget.disruptionsAllowed]));
  const violating = new Set<Candidate>();
  for (const each of sorted) {
    for (const budget of budgets) {
      if (budget.namespace !== each.namespace || !budget.covers(each.labels)) continue;
      if (budget.disrupted.has(each.name)) continue;
      const left = (allowed.get(budget) ?? 0) - 1;
      allowed.set(budget, left);
      if (left < 0) violating.add(each);
    }
  }
  return violating;
}

/**
 * Priorities can be negative. The offset ensures that an additional victim always increases the
 * sum.
 */
const PRIORITY_OFFSET = 2 ** 31;

/** Criteria in order of weight. The node with the smaller loss is preferred. */
const LOSSES: readonly ((offer: Offer) => number)[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.needs.priority ?? 0,
  ({ victims }) => victims.reduce((sum, { needs }) => sum + needs.priority + PRIORITY_OFFSET, 0),
  ({ victims }) => victims.length,
  // Prefer the node whose most important victims started most recently.
  ({ victims }) => -(victims[0]?.startMs ?? 0),
];

function losesLess(one: Offer, other: Offer): boolean {
  for (const loss of LOSSES) {
    const difference = loss(one) - loss(other);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
