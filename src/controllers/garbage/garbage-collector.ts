/**
 * Deletes what has lost all its owners, and carries out what a deletion says about dependents:
 * Foreground deletes them before their owner, Orphan makes them nobody's.
 *
 * Reading order: this file, graph (who depends on whom), observe, decide, reconcile. Kinds are
 * data here: nothing knows what a Job or a Pod is.
 */
import type { ResourceType } from "../../api/client.ts";
import type { KubeObject } from "../../api/object.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { openRecorder } from "../runtime/recorder.ts";
import { DependencyGraph } from "./graph.ts";
import { nodeOf } from "./node.ts";
import { ownerTypesOf } from "./observe.ts";
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
  const { client, clock, random, log, metrics } = context;
  const graph = new DependencyGraph();
  const ownerTypes = ownerTypesOf(types);
  const recorder = openRecorder({ ...context, component: COMPONENT });
  const worker = new KeyedWorker({
    reconcile: (uid) => reconcile({ client, graph, ownerTypes, recorder }, uid),
    workers: WORKERS,
    name: "garbage_collector_attempt_to_delete",
    clock,
    log,
    metrics,
  });
  const followed = await Promise.all(
    types.filter(isCollected).map(async (type): Promise<Followed> => {
      return { type, cache: await openCache({ client, type, clock, random, log }) };
    }),
  );
  // Only when every object is in its place does a missing owner mean something.
  for (const { type, cache } of followed) {
    for (const object of cache.list()) graph.put(nodeOf(type, object));
  }
  for (const uid of graph.uids()) if (graph.needsLook(uid)) worker.add(uid);
  for (const { type, cache } of followed) {
    cache.onChange(({ type: change, object }) => {
      const { uid = "" } = object.metadata;
      const isGone = change === "DELETED";
      if (isGone) worker.forget(uid);
      const concerned = isGone ? graph.remove(uid) : graph.put(nodeOf(type, object));
      for (const each of concerned) worker.add(each);
    });
  }
  return {
    stop: () => {
      for (const { cache } of followed) cache.close();
      worker.stop();
      recorder.stop();
    },
  };
}

interface Followed {
  readonly type: ResourceType;
  readonly cache: Cache<KubeObject>;
}

/** Events are many, own nothing and are owned by nobody. */
function isCollected({ resource }: ResourceType): boolean {
  return resource !== "events";
}
