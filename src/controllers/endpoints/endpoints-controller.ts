/**
 * Maintains the pod addresses of every Service with a selector: as EndpointSlices, and as an
 * Endpoints object for older clients.
 *
 * Reading order: this file, members with ports (which pods, and how the Service shows them),
 * slice-endpoints and slice-plan, subsets, observe, then the two reconciles. DNS and the proxy use
 * these addresses; they are elsewhere.
 */
import type { Service } from "../../api/generated/core.ts";
import { endpointSlices, endpoints, nodes, pods, services } from "../../api/resources.ts";
import { openCache } from "../../client/cache.ts";
import { isNotFound } from "../../client/find.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { selectorOf } from "./members.ts";
import { BY_SERVICE, type Caches, concernedBy, keyOf, servicesOfSlice } from "./observe.ts";
import { reconcileEndpoints } from "./reconcile-endpoints.ts";
import { reconcileSlices } from "./reconcile-slices.ts";
import type { SeenTimes } from "./trigger-times.ts";

export const endpointsController: Controller = { name: "endpoints", start };

/** The same number as in Kubernetes. */
const WORKERS = 5;
/**
 * A reconcile costs time in proportion to the pods of the namespace. In large namespaces it is
 * delayed in proportion, so that several pod changes share one reconcile.
 */
const PODS_PER_MS_OF_WAIT = 50;

async function start(context: ControllerContext): Promise<RunningController> {
  const caches = await openCaches(context);
  const workers = [sliceWorker(context, caches), endpointsWorker(context, caches)];
  const look = (key: string) => {
    for (const worker of workers) worker.add(key);
  };
  const lookSoon = (key: string) => {
    const [namespace = ""] = key.split("/");
    const delayMs = Math.floor(caches.pods.list(namespace).length / PODS_PER_MS_OF_WAIT);
    for (const worker of workers) {
      if (delayMs === 0) worker.add(key);
      else worker.addAfter(key, delayMs);
    }
  };
  caches.services.onChange(({ object }) => look(keyOf(object)), { existing: true });
  caches.pods.onChange((change) => {
    for (const key of concernedBy(caches, change)) lookSoon(key);
  });
  caches.nodes.onChange(({ type, object, previous }) => {
    if (type === "MODIFIED" && previous?.metadata.labels === object.metadata.labels) return;
    for (const service of caches.services.list()) if (selectorOf(service)) look(keyOf(service));
  });
  // A client may have edited one of our slices, including its label, or deleted it.
  caches.slices.onChange(({ object, previous }) => {
    const keys = [object, ...(previous ? [previous] : [])].flatMap(servicesOfSlice);
    for (const key of new Set(keys)) look(key);
  });
  return {
    stop: () => {
      for (const cache of Object.values(caches)) cache.close();
      for (const worker of workers) worker.stop();
    },
  };
}

async function openCaches(context: ControllerContext): Promise<Caches> {
  const { client, clock, random, log } = context;
  const following = { client, clock, random, log };
  const indexes = { [BY_SERVICE]: servicesOfSlice };
  return {
    services: await openCache({ ...following, type: services }),
    pods: await openCache({ ...following, type: pods }),
    nodes: await openCache({ ...following, type: nodes }),
    slices: await openCache({ ...following, type: endpointSlices, indexes }),
  };
}

function sliceWorker({ client, clock, log, metrics }: ControllerContext, caches: Caches) {
  const seenTimes = new Map<string, SeenTimes>();
  return new KeyedWorker({
    reconcile: async (key) => {
      const service = findService(caches, key);
      if (!service) seenTimes.delete(key);
      // Slices of a deleted Service are garbage-collected: the Service is their owner.
      else if (selectorOf(service)) await reconcileSlices({ client, caches, seenTimes }, service);
    },
    workers: WORKERS,
    name: "endpoint_slice",
    clock,
    log,
    metrics,
  });
}

function endpointsWorker({ client, clock, log, metrics }: ControllerContext, caches: Caches) {
  const seenTimes = new Map<string, SeenTimes>();
  return new KeyedWorker({
    reconcile: async (key) => {
      const service = findService(caches, key);
      if (!service) {
        seenTimes.delete(key);
        await removeEndpoints({ client }, key);
      } else if (selectorOf(service)) {
        await reconcileEndpoints({ client, caches, seenTimes }, service);
      }
    },
    workers: WORKERS,
    name: "endpoint",
    clock,
    log,
    metrics,
  });
}

function findService({ services: known }: Caches, key: string): Service | undefined {
  const [namespace = "", name = ""] = key.split("/");
  return known.get(namespace, name);
}

/** An Endpoints object has the name of its Service and no owner, so it is deleted here. */
async function removeEndpoints(
  { client }: Pick<ControllerContext, "client">,
  key: string,
): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  await client.delete(endpoints, { namespace, name }).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}
