/** Pure: the Lease by which a node shows that it lives, at the cost of one small write. */
import type { Lease } from "../../api/generated/coordination.ts";
import type { Node } from "../../api/generated/core.ts";
import { formatMicroTime } from "../../api/time.ts";

export const LEASE_NAMESPACE = "kube-node-lease";
const LEASE_SECONDS = 40;
export const RENEW_MS = 10_000;

export function composeLease(node: Node, old: Lease | undefined, nowMs: number): Lease {
  const { name = "", uid = "" } = node.metadata;
  const owner = { apiVersion: "v1", kind: "Node", name, uid };
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      ...old?.metadata,
      name,
      namespace: LEASE_NAMESPACE,
      ownerReferences: [owner],
    },
    spec: {
      ...old?.spec,
      holderIdentity: name,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: formatMicroTime(nowMs),
    },
  };
}
