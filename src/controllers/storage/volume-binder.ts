/**
 * Binds claims and volumes to each other and sets their phases. It does not create volumes: it
 * names the provisioner on the claim and binds the volume when it exists.
 *
 * Reading order: this file, decide-claim, decide-volume, apply-binding.
 */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/generated/core.ts";
import type { StorageClass } from "../../api/generated/storage.ts";
import {
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
} from "../../api/resources.ts";
import { claimNamesOf, hasNoWordOfClass, isBoundTo } from "../../api/volume-claims.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import type { ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { openRecorder } from "../runtime/recorder.ts";
import { type Binding, carryOutClaim, carryOutVolume } from "./apply-binding.ts";
import { type ClaimSurroundings, decideClaim } from "./decide-claim.ts";
import { decideVolume } from "./decide-volume.ts";

const BY_CLAIM = "claim";

export async function startVolumeBinder(context: ControllerContext): Promise<RunningController> {
  const { client, clock, random, log, metrics } = context;
  const following = { client, clock, random, log };
  const [claims, volumes, classes, users] = await Promise.all([
    openCache({ ...following, type: persistentVolumeClaims }),
    openCache({ ...following, type: persistentVolumes }),
    openCache({ ...following, type: storageClasses }),
    openCache({ ...following, type: pods, indexes: { [BY_CLAIM]: claimKeysOf } }),
  ]);
  const recorder = openRecorder({ ...following, component: "persistentvolume-controller" });
  const binding: Binding = { client, clock, recorder };
  const caches = { claims, volumes, classes, users };
  const worker = new KeyedWorker({
    reconcile: (key) => reconcile(binding, caches, key, (other) => worker.add(other)),
    name: "persistent_volume_binder",
    clock,
    log,
    metrics,
  });
  follow(caches, (key) => worker.add(key));
  return {
    stop: () => {
      for (const cache of Object.values(caches)) cache.close();
      worker.stop();
      recorder.stop();
    },
  };
}

interface Caches {
  readonly claims: Cache<PersistentVolumeClaim>;
  readonly volumes: Cache<PersistentVolume>;
  readonly classes: Cache<StorageClass>;
  readonly users: Cache<Pod>;
}

/** The key "NAMESPACE/NAME" is a claim, "/NAME" a volume. */
async function reconcile(
  binding: Binding,
  caches: Caches,
  key: string,
  again: (key: string) => void,
): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  if (namespace !== "") {
    const claim = caches.claims.get(namespace, name);
    if (!claim) return;
    await carryOutClaim(binding, claim, decideClaim(claim, surroundingsOf(caches, claim)));
    return;
  }
  const volume = caches.volumes.get("", name);
  if (!volume) return;
  const { claimRef } = volume.spec;
  const found = claimRef && caches.claims.get(claimRef.namespace ?? "", claimRef.name ?? "");
  const claim = found?.metadata.uid === claimRef?.uid ? found : undefined;
  const decision = decideVolume(volume, claim);
  if (decision.kind === "askClaim") again(`${claimRef?.namespace}/${claimRef?.name}`);
  else await carryOutVolume(binding, volume, decision);
}

function surroundingsOf(
  { volumes, classes, users }: Caches,
  { metadata }: PersistentVolumeClaim,
): ClaimSurroundings {
  const users_ = users.find(BY_CLAIM, `${metadata.namespace}/${metadata.name}`);
  return {
    volumes: volumes.list(),
    findVolume: (name) => volumes.get("", name),
    findClass: (name) => classes.get("", name),
    defaultClass: findDefault(classes.list()),
    waitingPods: users_.filter(({ spec }) => !spec.nodeName).map((pod) => pod.metadata.name ?? ""),
  };
}

const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

/** The newest default class, then the first by name. */
function findDefault(classes: readonly StorageClass[]): string | undefined {
  const [first] = classes
    .filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === "true")
    .toSorted((one, other) => {
      const [left = "", right = ""] = [one, other].map((each) => each.metadata.creationTimestamp);
      if (left !== right) return left < right ? 1 : -1;
      return (one.metadata.name ?? "") < (other.metadata.name ?? "") ? -1 : 1;
    });
  return first?.metadata.name;
}

function follow({ claims, volumes, classes, users }: Caches, add: (key: string) => void): void {
  const keyOf = ({ metadata }: PersistentVolumeClaim | PersistentVolume) =>
    `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
  const isWaiting = ({ spec }: PersistentVolumeClaim) => (spec.volumeName ?? "") === "";
  claims.onChange(
    ({ type, object }) => {
      add(keyOf(object));
      const { volumeName = "" } = object.spec;
      if (volumeName !== "") add(`/${volumeName}`);
      if (type !== "DELETED") return;
      for (const volume of volumes.list()) if (isBoundTo(volume, object)) add(keyOf(volume));
    },
    { existing: true },
  );
  volumes.onChange(
    ({ object }) => {
      add(keyOf(object));
      const { claimRef } = object.spec;
      if (claimRef) add(`${claimRef.namespace}/${claimRef.name}`);
      else for (const claim of claims.list()) if (isWaiting(claim)) add(keyOf(claim));
    },
    { existing: true },
  );
  classes.onChange(({ object }) => {
    const { name } = object.metadata;
    for (const claim of claims.list()) {
      const isMeant = claim.spec.storageClassName === name || hasNoWordOfClass(claim);
      if (isWaiting(claim) && isMeant) add(keyOf(claim));
    }
  });
  users.onChange(({ type, object }) => {
    if (type === "ADDED") for (const key of claimKeysOf(object)) add(key);
  });
}

function claimKeysOf(pod: Pod): readonly string[] {
  const names = claimNamesOf(pod);
  return names.length === 0 ? names : names.map((name) => `${pod.metadata.namespace}/${name}`);
}
