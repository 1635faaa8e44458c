/**
 * Deletes objects that have lost all their owners, and carries out the propagation policy of
 * deletions: Foreground deletes dependents before their owner, Orphan removes their owner
 * reference.
 *
 * Reading order: this file, followed-types (which resource types), graph (dependencies), observe,
 * decide, reconcile. Kinds are data here: the code does not know what a Job or a Pod is.
 */
import type { ResourceType } from "../../api/client.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { openRecorder } from "../runtime/recorder.ts";
import { type FollowedType, followTypes } from "./followed-types.ts";
import { DependencyGraph } from "./graph.ts";
import { nodeOf } from "./node.ts";
import { reconcile } from "./reconcile.ts";

const COMPONENT = "garbage-collector-controller";
/** The same number as in Kubernetes. */
const WORKERS = 20;

/** `types` must support list, watch and delete. */
export function garbageCollector(types: readonly ResourceType[]): Controller {
  return { name: "garbage", start: (context) => start(context, types) };
}

async function start(
  context: ControllerContext,
  types: readonly ResourceType[],
): Promise<RunningController> {
  const { client, clock, log, metrics } = context;
  const graph = new DependencyGraph();
  const followed = await followTypes(context, types);
  const { ownerTypes } = followed;
  const recorder = openRecorder({ ...context, component: COMPONENT });
  const worker = new KeyedWorker({
    reconcile: (uid) => reconcile({ client, graph, ownerTypes, recorder }, uid),
    workers: WORKERS,
    name: "garbage_collector_attempt_to_delete",
    clock,
    log,
    metrics,
  });
  // Fill the graph completely before any decision: until then a missing owner may just not be
  // loaded yet.
  for (const { type, cache } of followed.initial) {
    for (const object of cache.list()) graph.put(nodeOf(type, object));
  }
  for (const uid of graph.uids()) if (graph.needsLook(uid)) worker.add(uid);
  const listen = ({ type, cache }: FollowedType, existing: boolean) => {
    cache.onChange(
      ({ type: change, object }) => {
        const { uid = "" } = object.metadata;
        const isGone = change === "DELETED";
        if (isGone) worker.forget(uid);
        const concerned = isGone ? graph.remove(uid) : graph.put(nodeOf(type, object));
        for (const each of concerned) worker.add(each);
      },
      { existing },
    );
  };
  for (const each of followed.initial) listen(each, false);
  followed.onAdded((added) => listen(added, true));
  return {
    stop: () => {
      followed.close();
      worker.stop();
      recorder.stop();
    },
  };
}
