/** Creates the claims of ephemeral volumes. They are owned by their pod and deleted with it. */
import { ApiError } from "../../api/errors.ts";
import type { PersistentVolumeClaim, Pod, Volume } from "../../api/generated/core.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { persistentVolumeClaims, pods } from "../../api/resources.ts";
import { openCache } from "../../client/cache.ts";
import type { ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { openRecorder } from "../runtime/recorder.ts";

export async function startEphemeralClaims(context: ControllerContext): Promise<RunningController> {
  const { client, clock, random, log, metrics } = context;
  const following = { client, clock, random, log };
  const users = await openCache({ ...following, type: pods });
  const claims = await openCache({ ...following, type: persistentVolumeClaims });
  const recorder = openRecorder({ ...following, component: "ephemeral_volume" });
  const ensure = async (pod: Pod, volume: Volume): Promise<void> => {
    const { namespace = "", name = "" } = pod.metadata;
    const wanted = `${name}-${volume.name}`;
    const found = claims.get(namespace, wanted);
    if (found && controllerOf(found)?.uid === pod.metadata.uid) return;
    try {
      const pair = `${namespace}/${wanted} was not created for pod ${namespace}/${name}`;
      if (found) throw new Error(`PVC ${pair} (pod is not owner)`);
      await client.create(persistentVolumeClaims, claimOf(pod, volume, wanted));
    } catch (error) {
      if (error instanceof ApiError && error.reason === "AlreadyExists") return;
      const why = error instanceof Error ? error.message : String(error);
      const message = `ephemeral volume controller: failed to create PVC ${wanted}: ${why}`;
      recorder.event(pod, "Warning", "EphemeralVolumeFailed", message);
      throw error;
    }
  };
  const worker = new KeyedWorker({
    reconcile: async (key) => {
      const [namespace = "", name = ""] = key.split("/");
      const pod = users.get(namespace, name);
      if (!pod || pod.metadata.deletionTimestamp !== undefined) return;
      for (const volume of ephemeralVolumes(pod)) await ensure(pod, volume);
    },
    name: "ephemeral_volume",
    clock,
    log,
    metrics,
  });
  const look = (pod: Pod) => {
    if (ephemeralVolumes(pod).length === 0) return;
    worker.add(`${pod.metadata.namespace}/${pod.metadata.name}`);
  };
  users.onChange(
    ({ type, object }) => {
      if (type === "ADDED") look(object);
    },
    { existing: true },
  );
  // A conflicting claim was removed, or a claim was deleted too early.
  claims.onChange(({ type, object }) => {
    if (type !== "DELETED") return;
    const { namespace = "" } = object.metadata;
    const owner = users.get(namespace, controllerOf(object)?.name ?? "");
    if (owner) look(owner);
  });
  return {
    stop: () => {
      users.close();
      claims.close();
      worker.stop();
      recorder.stop();
    },
  };
}

const NONE: readonly Volume[] = [];

function ephemeralVolumes({ spec }: Pod): readonly Volume[] {
  const { volumes } = spec;
  if (volumes === undefined || volumes.length === 0) return NONE;
  return volumes.filter(({ ephemeral }) => ephemeral !== undefined);
}

function claimOf(
  { metadata }: Pod,
  { ephemeral }: Volume,
  claimName: string,
): PersistentVolumeClaim {
  const template = ephemeral?.volumeClaimTemplate;
  const { namespace = "", name = "", uid = "" } = metadata;
  const owner = { apiVersion: "v1", kind: "Pod", name, uid };
  const { labels, annotations } = template?.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      namespace,
      name: claimName,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: template?.spec ?? { resources: {} },
    status: {},
  };
}
