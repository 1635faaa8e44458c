/**
 * Deletes what has lost all its owners, and carries out what a deletion says about dependents:
 * Foreground deletes them before their owner, Orphan makes them nobody's.
 *
 * Reading order: this file, followed-types (what there is), graph (who depends on whom), observe,
 * decide, reconcile. Kinds are data here: nothing knows what a Job or a Pod is.
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
/** As many as Kubernetes has. */
const WORKERS = 20;

/** Of resources that can be listed, watched and deleted. */
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
  // Only when every object is in its place does a missing owner mean something.
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
