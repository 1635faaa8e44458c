/**
 * Deletes pods that would otherwise stay forever: finished pods beyond a threshold, pods that are
 * being deleted but have no node, and pods whose node is gone. Job results are not lost: a Job
 * protects uncounted pods by a finalizer, and the ledger keeps the attempts.
 */
import type { Client } from "../../api/client.ts";
import type { FeatureGates } from "../../api/feature-gates.ts";
import type { Node, Pod } from "../../api/generated/core.ts";
import { nodes, pods } from "../../api/resources.ts";
import type { Clock } from "../../base/clock.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import { findObject } from "../../client/find.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { disruptPod } from "../runtime/disrupt-pod.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { BY_NODE, podsByNode } from "../runtime/pods-by-node.ts";
import { isOver, isStranded, NODE_GONE, OUT_OF_SERVICE, surplusOf } from "./decide.ts";

/** The default of Kubernetes. */
const DEFAULT_THRESHOLD = 12_500;
/** A deleted node may be registered again under the same name, so its pods are kept this long. */
const NODE_QUARANTINE_MS = 40_000;
const FINISHED_EVERY_MS = 20_000;
const OUT_OF_SERVICE_TAINT = "node.kubernetes.io/out-of-service";
const FINISHED = "finished";

export function podCollector(threshold = DEFAULT_THRESHOLD): Controller {
  return { name: "podgc", start: (context) => start(context, threshold) };
}

interface Collecting {
  readonly client: Client;
  readonly clock: Clock;
  readonly cache: Cache<Pod>;
  readonly nodeCache: Cache<Node>;
  readonly gates: FeatureGates | undefined;
}

async function start(context: ControllerContext, threshold: number): Promise<RunningController> {
  const { client, clock, random, log, metrics, gates } = context;
  const following = { client, clock, random, log };
  const cache = await openCache({ ...following, type: pods, indexes: podsByNode });
  const nodeCache = await openCache({ ...following, type: nodes });
  const collecting = { client, clock, cache, nodeCache, gates };
  const finished = new Map<string, Pod>();
  const worker = new KeyedWorker({
    reconcile: async (key) => {
      if (key === FINISHED) return removeAll(collecting, surplusOf(finished.values(), threshold));
      const [kind = "", first = "", name = ""] = key.split("/");
      return kind === "node" ? clearNode(collecting, first) : endStranded(collecting, first, name);
    },
    name: "podgc",
    clock,
    log,
    metrics,
  });
  cache.onChange(
    ({ type, object }) => {
      const { uid = "", namespace, name } = object.metadata;
      if (type === "DELETED" || !isOver(object)) finished.delete(uid);
      else finished.set(uid, object);
      if (finished.size > threshold) worker.addAfter(FINISHED, FINISHED_EVERY_MS);
      if (type === "DELETED") return;
      if (isStranded(object)) worker.add(`pod/${namespace}/${name}`);
      const { nodeName = "" } = object.spec;
      if (nodeName === "" || isOver(object)) return;
      const node = nodeCache.get("", nodeName);
      if (!node) worker.addAfter(`node/${nodeName}`, NODE_QUARANTINE_MS);
      else if (isOutOfService(node)) worker.add(`node/${nodeName}`);
    },
    { existing: true },
  );
  nodeCache.onChange(({ type, object }) => {
    const key = `node/${object.metadata.name}`;
    if (type === "DELETED") worker.addAfter(key, NODE_QUARANTINE_MS);
    else if (isOutOfService(object)) worker.add(key);
  });
  return {
    stop: () => {
      cache.close();
      nodeCache.close();
      worker.stop();
    },
  };
}

async function removeAll({ client, clock }: Collecting, surplus: readonly Pod[]): Promise<void> {
  for (const pod of surplus) {
    await disruptPod(client, pod, { isLost: true, nowMs: clock.nowMs() });
  }
}

async function endStranded(
  { client, clock, cache }: Collecting,
  namespace: string,
  name: string,
): Promise<void> {
  const pod = cache.get(namespace, name);
  if (!pod || !isStranded(pod)) return;
  await disruptPod(client, pod, { isLost: true, nowMs: clock.nowMs() });
}

async function clearNode(collecting: Collecting, name: string): Promise<void> {
  const { client, clock, cache, gates } = collecting;
  const live = await findObject(client, nodes, { name });
  if (live && !isOutOfService(live)) return;
  for (const pod of cache.find(BY_NODE, name)) {
    // On a node that is out of service, only pods that are already being deleted are removed.
    if (live && pod.metadata.deletionTimestamp === undefined) continue;
    const disruption = live ? OUT_OF_SERVICE : NODE_GONE;
    await disruptPod(client, pod, { disruption, isLost: true, gates, nowMs: clock.nowMs() });
  }
}

function isOutOfService({ spec, status }: Node): boolean {
  const isReady = status.conditions?.some(
    (each) => each.type === "Ready" && each.status === "True",
  );
  return !isReady && (spec.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE_TAINT);
}
