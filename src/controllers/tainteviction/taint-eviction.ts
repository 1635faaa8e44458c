/**
 * Evicts pods from nodes with taints that they do not tolerate, or no longer tolerate. The node may
 * be lost, or an administrator may be draining it.
 */

import { isEqual } from "../../api/equal.ts";
import type { Node, Pod } from "../../api/generated/core.ts";
import { nodes, pods } from "../../api/resources.ts";
import { openCache } from "../../client/cache.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { type Disruption, disruptPod } from "../runtime/disrupt-pod.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import { BY_NODE, podsByNode } from "../runtime/pods-by-node.ts";
import { openRecorder } from "../runtime/recorder.ts";
import { stayMs } from "./decide.ts";

export const taintEviction: Controller = { name: "tainteviction", start };

const DISRUPTION: Disruption = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};

async function start(context: ControllerContext): Promise<RunningController> {
  const { client, clock, random, log, metrics, gates } = context;
  const following = { client, clock, random, log };
  const podCache = await openCache({ ...following, type: pods, indexes: podsByNode });
  const nodeCache = await openCache({ ...following, type: nodes });
  const recorder = openRecorder({ ...following, component: "taint-eviction-controller" });
  /** By pod UID, when the toleration time of the pod started. */
  const since = new Map<string, number>();
  const reconcile = async (key: string): Promise<Outcome> => {
    const [namespace = "", name = ""] = key.split("/");
    const pod = podCache.get(namespace, name);
    if (!pod || isGoing(pod)) return done;
    const uid = pod.metadata.uid ?? "";
    const allowedMs = stayMs(pod, nodeCache.get("", pod.spec.nodeName ?? "")?.spec.taints ?? []);
    if (allowedMs === Number.POSITIVE_INFINITY) {
      const message = `Cancelling deletion of Pod ${key}`;
      if (since.delete(uid)) recorder.event(pod, "Normal", "TaintManagerEviction", message);
      return done;
    }
    const startMs = since.get(uid) ?? clock.monotonicMs();
    since.set(uid, startMs);
    const leftMs = startMs + allowedMs - clock.monotonicMs();
    if (leftMs > 0) return after(leftMs);
    const message = `Marking for deletion Pod ${key}`;
    recorder.event(pod, "Normal", "TaintManagerEviction", message);
    await disruptPod(client, pod, { disruption: DISRUPTION, gates, nowMs: clock.nowMs() });
    return done;
  };
  const worker = new KeyedWorker({ reconcile, name: "taint_eviction", clock, log, metrics });
  podCache.onChange(
    ({ type, object, previous }) => {
      if (type === "DELETED") since.delete(object.metadata.uid ?? "");
      else if (isNewHere(object, previous) && hasTaints(nodeCache.get("", nodeOf(object)))) {
        worker.add(keyOf(object));
      }
    },
    { existing: true },
  );
  nodeCache.onChange(({ type, object, previous }) => {
    if (type === "DELETED" || isEqual(object.spec.taints, previous?.spec.taints)) return;
    for (const pod of podCache.find(BY_NODE, object.metadata.name ?? "")) worker.add(keyOf(pod));
  });
  return {
    stop: () => {
      podCache.close();
      nodeCache.close();
      worker.stop();
      recorder.stop();
    },
  };
}

function isGoing({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** True if the pod was just bound to this node, or its tolerations just changed. */
function isNewHere(pod: Pod, previous: Pod | undefined): boolean {
  if (!previous) return true;
  return nodeOf(pod) !== nodeOf(previous) || pod.spec.tolerations !== previous.spec.tolerations;
}

function nodeOf({ spec }: Pod): string {
  return spec.nodeName ?? "";
}

function hasTaints(node: Node | undefined): boolean {
  return (node?.spec.taints ?? []).some(({ effect }) => effect === "NoExecute");
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
