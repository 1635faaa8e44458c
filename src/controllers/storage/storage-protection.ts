/**
 * Removes the protection finalizer from deleted claims and volumes that are no longer in use: from
 * a claim when no pod uses it, from a volume when it is not bound.
 */
import type { Client, ResourceType } from "../../api/client.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { persistentVolumeClaims, persistentVolumes, pods } from "../../api/resources.ts";
import { openCache } from "../../client/cache.ts";
import { isNotFound } from "../../client/find.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";

export const storageProtection: Controller = { name: "storage", start };

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";
const BY_CLAIM = "claim";

async function start(context: ControllerContext): Promise<RunningController> {
  const { client, clock, random, log, metrics } = context;
  const following = { client, clock, random, log };
  const users = await openCache({ ...following, type: pods, indexes: { [BY_CLAIM]: claimsOf } });
  const claims = await openCache({ ...following, type: persistentVolumeClaims });
  const volumes = await openCache({ ...following, type: persistentVolumes });
  const worker = new KeyedWorker({
    reconcile: async (key) => {
      const [namespace = "", name = ""] = key.split("/");
      if (namespace === "") {
        const volume = volumes.get("", name);
        if (volume && !isBound(volume)) {
          await letGo(client, persistentVolumes, volume, VOLUME_FINALIZER);
        }
        return;
      }
      const claim = claims.get(namespace, name);
      if (!claim || users.find(BY_CLAIM, key).length > 0) return;
      await letGo(client, persistentVolumeClaims, claim, CLAIM_FINALIZER);
    },
    name: "storage_protection",
    clock,
    log,
    metrics,
  });
  const look = ({ object }: { readonly object: PersistentVolume | PersistentVolumeClaim }) => {
    if (object.metadata.deletionTimestamp !== undefined) worker.add(keyOf(object));
  };
  claims.onChange(look, { existing: true });
  volumes.onChange(look, { existing: true });
  users.onChange(({ object, previous }) => {
    for (const key of [object, previous ?? object].flatMap(mentionedClaims)) worker.add(key);
  });
  return {
    stop: () => {
      for (const cache of [users, claims, volumes]) cache.close();
      worker.stop();
    },
  };
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/**
 * The claims in use: a pod without a node does not use them yet, and a finished pod no longer does.
 */
function claimsOf(pod: Pod): readonly string[] {
  const isOver = pod.status.phase === "Succeeded" || pod.status.phase === "Failed";
  return isOver || !pod.spec.nodeName ? [] : mentionedClaims(pod);
}

function mentionedClaims({ metadata, spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (ephemeral) return [`${metadata.namespace}/${metadata.name}-${name}`];
    return persistentVolumeClaim
      ? [`${metadata.namespace}/${persistentVolumeClaim.claimName}`]
      : [];
  });
}

function isBound({ status }: PersistentVolume): boolean {
  return status.phase === "Bound";
}

async function letGo<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  { metadata }: T,
  finalizer: string,
): Promise<void> {
  if (metadata.deletionTimestamp === undefined) return;
  if (!metadata.finalizers?.includes(finalizer)) return;
  const { namespace, name = "" } = metadata;
  const body = { metadata: { "$deleteFromPrimitiveList/finalizers": [finalizer] } };
  const place = namespace === undefined ? { name } : { namespace, name };
  await client.patch(type, place, { type: "strategic", body }).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}
