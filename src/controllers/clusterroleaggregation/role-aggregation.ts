/**
 * Keeps the rules of ClusterRoles with an aggregationRule equal to those of all roles they select.
 */
import type { ClusterRole } from "../../api/generated/rbac.ts";
import { clusterRoles } from "../../api/resources.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { gather } from "./gather.ts";

export const clusterRoleAggregation: Controller = { name: "clusterroleaggregation", start };

async function start(context: ControllerContext): Promise<RunningController> {
  const { client, clock, random, log, metrics } = context;
  const cache = await openCache({ client, type: clusterRoles, clock, random, log });
  const worker = new KeyedWorker({
    reconcile: async (name) => {
      const role = cache.get("", name);
      const rules = role && gather(role, cache.list());
      if (role && rules) await client.update(clusterRoles, { ...role, rules });
    },
    clock,
    log,
    metrics,
    name: "ClusterRoleAggregator",
  });
  cache.onChange(() => addGathering(worker, cache), { existing: true });
  return {
    stop: () => {
      cache.close();
      worker.stop();
    },
  };
}

/** Adds all aggregating roles, because a changed role may be selected by any of them. */
function addGathering(worker: KeyedWorker, cache: Cache<ClusterRole>): void {
  for (const role of cache.list()) {
    if (role.aggregationRule) worker.add(role.metadata.name ?? "");
  }
}
