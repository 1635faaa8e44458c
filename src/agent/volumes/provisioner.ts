/**
 * Makes volumes for claims of the class that comes with us: directories of this node, under its own
 * data directory. It speaks the protocol of all provisioners: a claim says who shall make its
 * volume, and on which node; a volume that is released and is to be deleted is removed by whoever
 * made it.
 */
import { chmod, mkdir } from "node:fs/promises";
import path from "node:path";
import { ApiError } from "../../api/errors.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import type { StorageClass } from "../../api/generated/storage.ts";
import { persistentVolumeClaims, persistentVolumes, storageClasses } from "../../api/resources.ts";
import {
  classOfClaim,
  PROVISIONED_BY,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
  waitsForConsumer,
} from "../../api/volume-claims.ts";
import { removeTree } from "../../base/remove-tree.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import { isNotFound } from "../../client/find.ts";
import type { ControllerContext, RunningController } from "../../controllers/runtime/controller.ts";
import { KeyedWorker } from "../../controllers/runtime/keyed-worker.ts";
import { type EventRecorder, openRecorder } from "../../controllers/runtime/recorder.ts";
import { composeVolume, DIRECTORY_CLASS, findObstacle, PROVISIONER } from "./directory-class.ts";

export interface ProvisionerOptions extends ControllerContext {
  readonly nodeName: string;
  /** Where the directories are made. */
  readonly directory: string;
}

/** With `existing` claims and volumes; the class itself is made where there is none. */
export async function startProvisioner(options: ProvisionerOptions): Promise<RunningController> {
  const { client, clock, random, log, metrics } = options;
  const following = { client, clock, random, log };
  await ensureClass(options);
  const [claims, volumes, classes] = await Promise.all([
    openCache({ ...following, type: persistentVolumeClaims }),
    openCache({ ...following, type: persistentVolumes }),
    openCache({ ...following, type: storageClasses }),
  ]);
  const recorder = openRecorder({ ...following, component: PROVISIONER });
  const work: Work = { ...options, claims, volumes, classes, recorder };
  const worker = new KeyedWorker({
    reconcile: (key) => reconcile(work, key),
    name: "provisioner",
    clock,
    log,
    metrics,
  });
  const existing = { existing: true };
  claims.onChange(({ object }) => {
    const { metadata } = object;
    if (isAsked(object)) worker.add(`${metadata.namespace}/${metadata.name}`);
  }, existing);
  volumes.onChange(({ object }) => {
    if (isToGo(object)) worker.add(`/${object.metadata.name}`);
  }, existing);
  return {
    stop: () => {
      for (const cache of [claims, volumes, classes]) cache.close();
      worker.stop();
      recorder.stop();
    },
  };
}

interface Work extends ProvisionerOptions {
  readonly claims: Cache<PersistentVolumeClaim>;
  readonly volumes: Cache<PersistentVolume>;
  readonly classes: Cache<StorageClass>;
  readonly recorder: EventRecorder;
}

async function ensureClass({ client }: ProvisionerOptions): Promise<void> {
  await client.create(storageClasses, DIRECTORY_CLASS).catch((error) => {
    const isThere = error instanceof ApiError && error.reason === "AlreadyExists";
    if (!isThere) throw error;
  });
}

function isAsked({ metadata, spec }: PersistentVolumeClaim): boolean {
  const isOurs = metadata.annotations?.[STORAGE_PROVISIONER] === PROVISIONER;
  return isOurs && !spec.volumeName && metadata.deletionTimestamp === undefined;
}

/** Released for good, or deleted by hand when nobody had it any more. */
function isToGo({ metadata, spec, status }: PersistentVolume): boolean {
  if (metadata.annotations?.[PROVISIONED_BY] !== PROVISIONER) return false;
  if (spec.persistentVolumeReclaimPolicy !== "Delete") return false;
  return status.phase === "Released";
}

async function reconcile(work: Work, key: string): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  if (namespace === "") {
    const volume = work.volumes.get("", name);
    if (volume && isToGo(volume) && isHere(work, volume)) await remove(work, volume);
    return;
  }
  const claim = work.claims.get(namespace, name);
  if (claim && isAsked(claim)) await provision(work, claim);
}

async function provision(work: Work, claim: PersistentVolumeClaim): Promise<void> {
  const { client, nodeName, classes, recorder, volumes } = work;
  const { namespace = "", name = "", uid = "", annotations = {} } = claim.metadata;
  const storageClass = classes.get("", classOfClaim(claim));
  const selected = annotations[SELECTED_NODE];
  if (selected === undefined ? waitsForConsumer(storageClass) : selected !== nodeName) return;
  if (volumes.get("", `pvc-${uid}`)) return;
  const message = `External provisioner is provisioning volume for claim "${namespace}/${name}"`;
  recorder.event(claim, "Normal", "Provisioning", message);
  try {
    const obstacle = findObstacle(claim, storageClass);
    if (obstacle !== undefined) throw new Error(obstacle);
    const directory = path.join(work.directory, `pvc-${uid}`);
    await mkdir(work.directory, { recursive: true, mode: 0o700 });
    await mkdir(directory, { recursive: true });
    // Who may use it is decided by who may mount it.
    await chmod(directory, 0o777);
    const volume = composeVolume({ claim, storageClass, directory, nodeName });
    await client.create(persistentVolumes, volume).catch((error) => {
      if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `failed to provision volume with StorageClass "${classOfClaim(claim)}": ${why}`;
    recorder.event(claim, "Warning", "ProvisioningFailed", text);
    throw error;
  }
  const text = `Successfully provisioned volume pvc-${uid}`;
  recorder.event(claim, "Normal", "ProvisioningSucceeded", text);
}

/** What is elsewhere is somebody else's, and what is not below our directory nobody's to remove. */
function isHere({ directory, nodeName }: Work, { metadata, spec }: PersistentVolume): boolean {
  const [term] = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const isOfNode = term?.matchExpressions?.[0]?.values?.includes(nodeName) === true;
  return isOfNode && spec.local?.path === path.join(directory, metadata.name ?? "");
}

/** The directory first: a volume that is gone would leave nobody who knows of it. */
async function remove(work: Work, volume: PersistentVolume): Promise<void> {
  const { client, recorder } = work;
  const { name = "" } = volume.metadata;
  try {
    await removeTree(volume.spec.local?.path ?? "");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    recorder.event(volume, "Warning", "VolumeFailedDelete", why);
    throw error;
  }
  await client.delete(persistentVolumes, { name }).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}
