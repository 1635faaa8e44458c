/**
 * Manages the pods of StatefulSets, each with its own name, ordinal and claims.
 *
 * Reading order: this file, decide with pod-state (the next steps), identity, new-pod and claims
 * (what a pod consists of), revisions (the template history), status, then reconcile with observe
 * and change-pods.
 */
import { DEFAULT_FEATURE_GATES } from "../../api/feature-gates.ts";
import { controllerRevisions, pods, statefulSets } from "../../api/resources.ts";
import { openCache } from "../../client/cache.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { openRecorder } from "../runtime/recorder.ts";
import { StaleClaim } from "./change-pods.ts";
import { BY_OWNER, type Caches, concernedBy, familyOf, keyOf, ownersOf } from "./observe.ts";
import { reconcile } from "./reconcile.ts";
import { setMetrics } from "./set-metrics.ts";

export const statefulSetController: Controller = { name: "statefulset", start };

async function start(context: ControllerContext): Promise<RunningController> {
  const { client, clock, random, log, metrics, gates = DEFAULT_FEATURE_GATES } = context;
  const following = { client, clock, random, log };
  const indexes = { [BY_OWNER]: ownersOf };
  const caches: Caches = {
    sets: await openCache({ ...following, type: statefulSets }),
    pods: await openCache({ ...following, type: pods, indexes }),
    revisions: await openCache({ ...following, type: controllerRevisions, indexes }),
  };
  const recorder = openRecorder({ ...following, component: "statefulset-controller" });
  const measures = setMetrics(metrics);
  const worker = new KeyedWorker({
    reconcile: async (key) => {
      const [namespace = "", name = ""] = key.split("/");
      const set = caches.sets.get(namespace, name);
      if (!set) return;
      measures.show(set);
      const startMs = clock.monotonicMs();
      const hands = { client, clock, recorder, labelsIndex: gates.PodIndexLabel };
      const outcome = await reconcile(hands, familyOf(caches, set));
      measures.delay.observe({}, (clock.monotonicMs() - startMs) / 1000);
      return outcome;
    },
    isExpected: (error) => error instanceof StaleClaim,
    name: "statefulset",
    clock,
    log,
    metrics,
  });
  caches.sets.onChange(
    ({ type, object }) => {
      if (type === "DELETED") worker.forget(keyOf(object));
      else worker.add(keyOf(object));
    },
    { existing: true },
  );
  caches.pods.onChange((change) => {
    for (const key of concernedBy(caches, change)) worker.add(key);
  });
  return {
    stop: () => {
      for (const cache of Object.values(caches)) cache.close();
      worker.stop();
      recorder.stop();
    },
  };
}
