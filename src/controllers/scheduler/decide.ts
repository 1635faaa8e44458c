/**
 * Pure: chooses the node for a pod, or returns in Kubernetes' wording why there is none. Filters
 * are evaluated in order, and the first one that rejects a node provides the reason.
 */

import { isTolerated } from "../../api/taints.ts";
import type { PodNeeds } from "./needs.ts";
import { isWanted } from "./node-affinity.ts";
import { conflicts, type NodeRoom } from "./rooms.ts";
import { bestRoom } from "./score.ts";
import { storageObjection } from "./storage.ts";

export type NodeDecision =
  | { readonly kind: "place"; readonly node: string }
  | ({ readonly kind: "refuse" } & Refusal);

export interface Refusal {
  /** "0/1 nodes are available: 1 Insufficient cpu." */
  readonly message: string;
  /** True if preemption cannot help: a node would have to change. */
  readonly isHopeless: boolean;
}

export function decideNode(needs: PodNeeds, rooms: readonly NodeRoom[]): NodeDecision {
  const fitting: NodeRoom[] = [];
  const objections: Objection[] = [];
  for (const room of rooms) {
    const objection = objectionTo(room, needs);
    if (objection) objections.push(objection);
    else fitting.push(room);
  }
  const { problem } = needs.storage ?? {};
  if (problem !== undefined && rooms.length > 0) {
    const message = `0/${rooms.length} nodes are available: ${problem}.`;
    return { kind: "refuse", message, isHopeless: true };
  }
  const best = bestRoom(needs, fitting);
  if (best) return { kind: "place", node: best.facts.name };
  return {
    kind: "refuse",
    message: formatObjections(rooms.length, objections),
    isHopeless: objections.every(({ isHopeless }) => isHopeless),
  };
}

export interface Objection {
  readonly reasons: readonly string[];
  readonly isHopeless: boolean;
}

type Filter = (room: NodeRoom, needs: PodNeeds) => Objection | undefined;

const hopeless = (reason: string): Objection => ({ reasons: [reason], isHopeless: true });

const UNSCHEDULABLE = hopeless("node(s) were unschedulable");
const TAINTED = hopeless("node(s) had untolerated taint(s)");
const UNWANTED = hopeless("node(s) didn't match Pod's node affinity/selector");
const PORTS_TAKEN: Objection = {
  reasons: ["node(s) didn't have free ports for the requested pod ports"],
  isHopeless: false,
};
const UNSCHEDULABLE_TAINT = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

const FILTERS: readonly Filter[] = [
  ({ facts }, { tolerations }) =>
    facts.isUnschedulable && !isTolerated(UNSCHEDULABLE_TAINT, tolerations)
      ? UNSCHEDULABLE
      : undefined,
  ({ facts }, { tolerations }) =>
    facts.taints.every((taint) => isTolerated(taint, tolerations)) ? undefined : TAINTED,
  ({ facts }, needs) => (isWanted(needs, facts) ? undefined : UNWANTED),
  ({ use }, { hostPorts }) =>
    hostPorts.some((port) => use.hostPorts.some((taken) => conflicts(port, taken)))
      ? PORTS_TAKEN
      : undefined,
  lackOf,
  ({ facts }, { storage }) => {
    const objection = storage && storageObjection(storage, facts);
    return objection === undefined ? undefined : hopeless(objection);
  },
];

/** Why the pod does not fit on the node; undefined if it fits. */
export function objectionTo(room: NodeRoom, needs: PodNeeds): Objection | undefined {
  for (const filter of FILTERS) {
    const objection = filter(room, needs);
    if (objection) return objection;
  }
  return undefined;
}

/** Lists every resource that is insufficient, not only the first. */
function lackOf({ facts, use }: NodeRoom, { requests }: PodNeeds): Objection | undefined {
  const { allocatable } = facts;
  const reasons: string[] = [];
  let isHopeless = false;
  const podLimit = allocatable["pods"] ?? 0;
  if (use.pods + 1 > podLimit) {
    reasons.push("Too many pods");
    isHopeless = podLimit < 1;
  }
  for (const [resource, amount] of requests) {
    const all = allocatable[resource] ?? 0;
    if (amount <= all - (use.amounts.get(resource) ?? 0)) continue;
    reasons.push(`Insufficient ${resource}`);
    if (amount > all) isHopeless = true;
  }
  return reasons.length > 0 ? { reasons, isHopeless } : undefined;
}

/** The number of nodes per reason, sorted as texts: "10 …" comes before "2 …". */
export function formatObjections(nodes: number, objections: readonly Objection[]): string {
  if (nodes === 0) return "no nodes available to schedule pods";
  const counts = new Map<string, number>();
  for (const { reasons } of objections) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${texts.join(", ")}.`;
}
