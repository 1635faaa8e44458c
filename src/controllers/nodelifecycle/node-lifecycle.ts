/**
 * Detects nodes that stopped sending heartbeats and sets their conditions to Unknown. Also sets the
 * taints that follow from conditions, which keep the scheduler away and evict pods.
 */
import type { Client } from "../../api/client.ts";
import type { Node, Pod } from "../../api/generated/core.ts";
import { leases, nodes, pods } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import type { Clock } from "../../base/clock.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import { isNotFound } from "../../client/find.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { after, type Outcome } from "../runtime/outcome.ts";
import { BY_NODE, podsByNode } from "../runtime/pods-by-node.ts";
import { type EventRecorder, openRecorder } from "../runtime/recorder.ts";
import { correctedTaints, isReady, SILENCE_MS, silentConditions } from "./decide.ts";

/** A node without a heartbeat for `silenceMs` is treated as lost. */
export function nodeLifecycle(silenceMs: number = SILENCE_MS): Controller {
  return { name: "nodelifecycle", start: (context) => start(context, silenceMs) };
}

const LEASES = "kube-node-lease";
/** The same interval as in Kubernetes. */
const LOOK_MS = 5000;

interface Watching {
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly nodeCache: Cache<Node>;
  readonly podCache: Cache<Pod>;
  /** When each node last sent a heartbeat, by a clock that stops while the machine sleeps. */
  readonly heard: Map<string, number>;
  readonly silenceMs: number;
}

async function start(context: ControllerContext, silenceMs: number): Promise<RunningController> {
  const { client, clock, random, log, metrics } = context;
  const following = { client, clock, random, log };
  const nodeCache = await openCache({ ...following, type: nodes });
  const leaseCache = await openCache({ ...following, type: leases, namespace: LEASES });
  const podCache = await openCache({ ...following, type: pods, indexes: podsByNode });
  const recorder = openRecorder({ ...following, component: "node-controller" });
  const heard = new Map<string, number>();
  const watching = { client, clock, recorder, nodeCache, podCache, heard, silenceMs };
  const worker = new KeyedWorker({
    reconcile: (name) => look(watching, name),
    name: "node_lifecycle",
    clock,
    log,
    metrics,
  });
  nodeCache.onChange(
    ({ type, object, previous }) => {
      const name = object.metadata.name ?? "";
      if (type === "DELETED") {
        heard.delete(name);
        return worker.forget(name);
      }
      if (!previous || heartbeatOf(object) !== heartbeatOf(previous)) {
        heard.set(name, clock.monotonicMs());
      }
      worker.add(name);
    },
    { existing: true },
  );
  leaseCache.onChange(({ type, object, previous }) => {
    if (type === "DELETED" || object.spec?.renewTime === previous?.spec?.renewTime) return;
    heard.set(object.metadata.name ?? "", clock.monotonicMs());
  });
  return {
    stop: () => {
      for (const cache of [nodeCache, leaseCache, podCache]) cache.close();
      worker.stop();
      recorder.stop();
    },
  };
}

function heartbeatOf({ status }: Node): string | null | undefined {
  return status.conditions?.find(({ type }) => type === "Ready")?.lastHeartbeatTime;
}

async function look(watching: Watching, name: string): Promise<Outcome | undefined> {
  const { client, clock, recorder, nodeCache, heard, silenceMs } = watching;
  const node = nodeCache.get("", name);
  if (!node) return undefined;
  const silentMs = clock.monotonicMs() - (heard.get(name) ?? clock.monotonicMs());
  const conditions = silentMs > silenceMs ? silentConditions(node, clock.nowMs()) : undefined;
  if (conditions) {
    const message = `Node ${name} status is now: NodeNotReady`;
    recorder.event(node, "Normal", "NodeNotReady", message);
    await ignoreGone(
      client.updateStatus(nodes, { ...node, status: { ...node.status, conditions } }),
    );
    return after(0);
  }
  const taints = correctedTaints(node, clock.nowMs());
  if (taints) {
    await ignoreGone(client.update(nodes, { ...node, spec: { ...node.spec, taints } }));
  }
  if (!isReady(node)) await markPods(watching, name);
  return after(LOOK_MS);
}

/** The pods may still run there, but Services must not send them traffic. */
async function markPods({ client, clock, podCache }: Watching, node: string): Promise<void> {
  for (const { metadata, status } of podCache.find(BY_NODE, node)) {
    const ready = status.conditions?.find(({ type }) => type === "Ready");
    if (ready?.status !== "True") continue;
    const { namespace = "", name = "", uid } = metadata;
    const lastTransitionTime = formatTime(clock.nowMs());
    const condition = { type: "Ready", status: "False", lastTransitionTime };
    const body = { metadata: { uid }, status: { conditions: [condition] } };
    const patch = { type: "strategic", subresource: "status", body } as const;
    await ignoreGone(client.patch(pods, { namespace, name }, patch));
  }
}

async function ignoreGone(write: Promise<unknown>): Promise<void> {
  await write.catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}
