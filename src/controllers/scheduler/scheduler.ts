/**
 * Assigns pods to nodes: each pod goes to the node with the most free resources among those that
 * fit.
 *
 * Reading order: this file, decide (with node-affinity, taints, score: which node, or why none),
 * needs with requests and node-facts (the inputs of a decision), rooms and pending-pods (the
 * memory), observe, reconcile, notices; then decide-preemption, nominations and preempt, for pods
 * that preempt others. Running a pod on its node is the task of the agent.
 */
import { nodes, podDisruptionBudgets, pods } from "../../api/resources.ts";
import { openCache } from "../../client/cache.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { openRecorder } from "../runtime/recorder.ts";
import { compareArrival } from "./arrival.ts";
import { describeMemory, SchedulerMemory } from "./memory.ts";
import { Notices } from "./notices.ts";
import { observeNode, observePod } from "./observe.ts";
import { reconcile } from "./reconcile.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";
import { openStorage } from "./storage-caches.ts";

export const schedulerController: Controller = { name: "scheduler", start };

const ALL_PODS = "pods";
/** Finished pods use no resources. */
const UNFINISHED = "status.phase!=Succeeded,status.phase!=Failed";
const RETRY = { firstMs: 1000, maxMs: 10_000 };

async function start(context: ControllerContext): Promise<RunningController> {
  const { client, clock, random, log, metrics, gates } = context;
  const following = { client, clock, random, log };
  const nodeCache = await openCache({ ...following, type: nodes });
  const cache = await openCache({ ...following, type: pods, fieldSelector: UNFINISHED });
  const budgets = await openCache({ ...following, type: podDisruptionBudgets });
  const storage = await openStorage(following);
  const recorder = openRecorder({ ...following, component: "default-scheduler" });
  const memory = new SchedulerMemory();
  const notices = new Notices({ client, clock, recorder });
  const measures = schedulerMetrics(metrics, memory);
  const own = { client, clock, cache, budgets, storage, memory, notices };
  const scheduling = { ...own, metrics: measures, gates };
  const worker = new KeyedWorker({
    reconcile: () => reconcile(scheduling),
    workers: 1,
    retry: RETRY,
    name: "scheduler",
    clock,
    log,
    metrics,
  });
  const describe = () => describeMemory(memory, clock.monotonicMs());
  const removeDiagnostics = metrics.diagnostics.add("scheduler", describe);
  nodeCache.onChange((change) => observeNode(memory, change) && worker.add(ALL_PODS), {
    existing: true,
  });
  for (const object of cache.list().toSorted(compareArrival)) {
    observePod(memory, { type: "ADDED", object }, clock.monotonicMs());
  }
  cache.onChange((change) => {
    if (observePod(memory, change, clock.monotonicMs())) worker.add(ALL_PODS);
  });
  storage.onChange(() => {
    if (memory.pending.size + memory.preparing.size === 0) return;
    memory.pending.reconsider();
    worker.add(ALL_PODS);
  });
  worker.add(ALL_PODS);
  return {
    stop: () => {
      nodeCache.close();
      cache.close();
      budgets.close();
      storage.close();
      worker.stop();
      recorder.stop();
      removeDiagnostics();
    },
  };
}
