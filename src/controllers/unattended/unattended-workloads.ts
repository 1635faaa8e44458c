/**
 * Records an event on workloads for which Tally has no controller. Such an object is stored and
 * listed but gets no pods; the event tells the user why.
 */
import type { ResourceType } from "../../api/client.ts";
import { openCache } from "../../client/cache.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { openRecorder } from "../runtime/recorder.ts";

export const unattendedWorkloads: Controller = { name: "unattended", start };

const UNATTENDED: readonly ResourceType[] = [
  { group: "apps", version: "v1", resource: "daemonsets", kind: "DaemonSet", namespaced: true },
  { group: "apps", version: "v1", resource: "deployments", kind: "Deployment", namespaced: true },
  { group: "apps", version: "v1", resource: "replicasets", kind: "ReplicaSet", namespaced: true },
  {
    group: "",
    version: "v1",
    resource: "replicationcontrollers",
    kind: "ReplicationController",
    namespaced: true,
  },
];

async function start(context: ControllerContext): Promise<RunningController> {
  const recorder = openRecorder({ ...context, component: "unattended-workloads" });
  const caches = await Promise.all(UNATTENDED.map((type) => openCache({ ...context, type })));
  for (const [index, cache] of caches.entries()) {
    const message = `no controller for ${UNATTENDED[index]?.kind}s runs here: no pods will be made`;
    cache.onChange(({ type, object }) => {
      if (type === "ADDED") recorder.event(object, "Warning", "NoController", message);
    });
  }
  return {
    stop: () => {
      for (const cache of caches) cache.close();
      recorder.stop();
    },
  };
}
