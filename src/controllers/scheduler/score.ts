/**
 * Pure: ranks the nodes that fit: first by untolerated PreferNoSchedule taints, then by the pod's
 * preferences, then by free resources. The weights are those of Kubernetes.
 */

import { isTolerated } from "../../api/taints.ts";
import type { PodNeeds } from "./needs.ts";
import { affinityWeight } from "./node-affinity.ts";
import type { NodeRoom } from "./rooms.ts";

const TAINT_WEIGHT = 3;
const AFFINITY_WEIGHT = 2;
const MAX_SCORE = 100;

/** Requests assumed for a pod without any, so that such pods are spread over nodes, too. */
const ASSUMED_CPU_MILLIS = 100;
const ASSUMED_MEMORY_BYTES = 200 * 1024 * 1024;

/** If scores are equal, the node with fewer pods wins, then the first. */
export function bestRoom(needs: PodNeeds, rooms: readonly NodeRoom[]): NodeRoom | undefined {
  if (rooms.length <= 1) return rooms[0];
  const taints = rooms.map((room) => untolerated(needs, room));
  const wishes = rooms.map(({ facts }) => affinityWeight(needs, facts));
  const mostTaints = Math.max(...taints);
  const mostWishes = Math.max(...wishes);
  let best: { readonly room: NodeRoom; readonly score: number } | undefined;
  for (const [at, room] of rooms.entries()) {
    const score =
      TAINT_WEIGHT * (MAX_SCORE - share(taints[at] ?? 0, mostTaints)) +
      AFFINITY_WEIGHT * share(wishes[at] ?? 0, mostWishes) +
      leastAllocated(needs, room);
    const isFewer = best !== undefined && room.use.pods < best.room.use.pods;
    if (!best || score > best.score || (score === best.score && isFewer)) best = { room, score };
  }
  return best?.room;
}

function untolerated({ tolerations }: PodNeeds, { facts }: NodeRoom): number {
  return facts.softTaints.filter((taint) => !isTolerated(taint, tolerations)).length;
}

function share(value: number, most: number): number {
  return most === 0 ? 0 : Math.floor((value * MAX_SCORE) / most);
}

/** The average share of free CPU and memory. */
function leastAllocated({ requests }: PodNeeds, { facts, use }: NodeRoom): number {
  const left = (resource: string, assumed: number): number => {
    const all = facts.allocatable[resource] ?? 0;
    if (all === 0) return 0;
    const asked = requests.find(([name]) => name === resource)?.[1] ?? assumed;
    const taken = Math.max(use.amounts.get(resource) ?? 0, use.pods * assumed) + asked;
    return taken > all ? 0 : Math.floor(((all - taken) * MAX_SCORE) / all);
  };
  const sum = left("cpu", ASSUMED_CPU_MILLIS) + left("memory", ASSUMED_MEMORY_BYTES);
  return Math.floor(sum / 2);
}
