/** Taints new nodes, so that no pod is scheduled to a node before it reports that it is ready. */
import type { Node } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { type AdmissionRequest, isAbout } from "./plugin.ts";

const NOT_READY = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

export function taintNewNodes(request: AdmissionRequest): void {
  if (request.operation !== "create" || !isAbout(request, "Node")) return;
  const { spec } = request.object as unknown as Draft<Node>;
  const taints = spec.taints ?? [];
  const isTainted = taints.some(
    ({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect,
  );
  if (!isTainted) spec.taints = [...taints, { ...NOT_READY }];
}
