/** Triggers the binding of a pod's claims on its chosen node. The pod is bound afterwards. */
import type { Client } from "../../api/client.ts";
import { persistentVolumeClaims, persistentVolumes } from "../../api/resources.ts";
import {
  BOUND_BY_CONTROLLER,
  isFullyBound,
  referenceToClaim,
  SELECTED_NODE,
} from "../../api/volume-claims.ts";
import type { UnboundClaim } from "./needs.ts";
import type { NodeFacts } from "./node-facts.ts";
import type { PendingPod } from "./pending-pods.ts";
import { findCandidate, type StorageFacts } from "./storage.ts";

export interface Preparation {
  readonly pod: PendingPod;
  readonly node: NodeFacts;
  readonly unbound: readonly UnboundClaim[];
}

export async function prepareVolumes(
  client: Client,
  { node, unbound }: Pick<Preparation, "node" | "unbound">,
): Promise<void> {
  for (const each of unbound) {
    const { claim } = each;
    const volume = findCandidate(each, node);
    if (volume !== undefined) {
      const annotations = { ...volume.metadata.annotations, [BOUND_BY_CONTROLLER]: "yes" };
      const metadata = { ...volume.metadata, annotations };
      const spec = { ...volume.spec, claimRef: referenceToClaim(claim) };
      await client.update(persistentVolumes, { ...volume, metadata, spec });
    } else if (claim.metadata.annotations?.[SELECTED_NODE] !== node.name) {
      const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: node.name };
      const metadata = { ...claim.metadata, annotations };
      await client.update(persistentVolumeClaims, { ...claim, metadata });
    }
  }
}

/** Whether all claims are bound; "never" if that has become impossible. */
export function preparednessOf(
  { needs }: PendingPod,
  { findClaim }: StorageFacts,
): "waiting" | "ready" | "never" {
  let state: "waiting" | "ready" = "ready";
  for (const key of needs.claims ?? []) {
    const claim = findClaim(key);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return "never";
    if (isFullyBound(claim)) continue;
    state = "waiting";
  }
  return state;
}
