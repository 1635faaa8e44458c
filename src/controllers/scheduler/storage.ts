/**
 * Pure: how the claims of a pod restrict its placement. A bound claim ties the pod to the location
 * of its volume. A claim with WaitForFirstConsumer is bound to a volume on the chosen node, or a
 * volume is provisioned there.
 */
import type {
  NodeSelector,
  PersistentVolume,
  PersistentVolumeClaim,
} from "../../api/generated/core.ts";
import type { StorageClass } from "../../api/generated/storage.ts";
import {
  classOfClaim,
  findVolumeFor,
  isFullyBound,
  SELECTED_NODE,
  waitsForConsumer,
} from "../../api/volume-claims.ts";
import type { StorageNeeds, UnboundClaim } from "./needs.ts";
import { matchesTerm } from "./node-affinity.ts";
import type { NodeFacts } from "./node-facts.ts";

export interface StorageFacts {
  readonly findClaim: (key: string) => PersistentVolumeClaim | undefined;
  readonly findVolume: (name: string) => PersistentVolume | undefined;
  readonly findClass: (name: string) => StorageClass | undefined;
  readonly volumes: () => readonly PersistentVolume[];
}

/** `claims` are "NAMESPACE/NAME". */
export function storageNeeds(claims: readonly string[], facts: StorageFacts): StorageNeeds {
  const places: NodeSelector[] = [];
  const unbound: UnboundClaim[] = [];
  for (const key of claims) {
    const name = key.slice(key.indexOf("/") + 1);
    const claim = facts.findClaim(key);
    if (claim === undefined) return problem(`persistentvolumeclaim "${name}" not found`);
    if (claim.status.phase === "Lost") {
      const { volumeName = "" } = claim.spec;
      const what = `persistentvolumeclaim "${name}" bound to non-existent persistentvolume`;
      return problem(`${what} "${volumeName}"`);
    }
    if (claim.metadata.deletionTimestamp !== undefined) {
      return problem(`persistentvolumeclaim "${name}" is being deleted`);
    }
    if (isFullyBound(claim)) {
      const required = facts.findVolume(claim.spec.volumeName ?? "")?.spec.nodeAffinity?.required;
      if (required) places.push(required);
      continue;
    }
    const storageClass = facts.findClass(classOfClaim(claim));
    if (!waitsForConsumer(storageClass) || claim.spec.volumeName) {
      return problem("pod has unbound immediate PersistentVolumeClaims");
    }
    const isMade = storageClass?.provisioner !== NO_PROVISIONER;
    unbound.push({ claim, candidates: facts.volumes(), isMade });
  }
  return { places, unbound };
}

const NO_PROVISIONER = "kubernetes.io/no-provisioner";

function problem(text: string): StorageNeeds {
  return { problem: text, places: [], unbound: [] };
}

const ELSEWHERE = "node(s) didn't match PersistentVolume's node affinity";
const NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind";

/** In Kubernetes' wording; undefined if the node fits. */
export function storageObjection(
  { problem: hopeless, places, unbound }: StorageNeeds,
  node: NodeFacts,
): string | undefined {
  if (hopeless !== undefined) return hopeless;
  if (!places.every((place) => isAt(place, node))) return ELSEWHERE;
  return unbound.every((each) => canBind(each, node)) ? undefined : NOTHING_TO_BIND;
}

function canBind(unbound: UnboundClaim, node: NodeFacts): boolean {
  const selected = unbound.claim.metadata.annotations?.[SELECTED_NODE];
  if (selected !== undefined) return selected === node.name;
  return unbound.isMade || findCandidate(unbound, node) !== undefined;
}

/** An existing volume that is accessible from the node. */
export function findCandidate(
  { claim, candidates }: UnboundClaim,
  node: NodeFacts,
): PersistentVolume | undefined {
  const there = candidates.filter(({ spec }) => {
    const required = spec.nodeAffinity?.required;
    return required === undefined || isAt(required, node);
  });
  return findVolumeFor(claim, there);
}

function isAt({ nodeSelectorTerms }: NodeSelector, node: NodeFacts): boolean {
  return (nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}
