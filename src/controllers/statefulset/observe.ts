/** Reads the caches for a StatefulSet, and finds the sets that a change of a pod affects. */
import type { ControllerRevision, StatefulSet } from "../../api/generated/apps.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { selects } from "../../api/selectors/label-selector.ts";
import type { Cache, CacheChange } from "../../client/cache.ts";
import { ordinalIn } from "./identity.ts";
import type { Family } from "./reconcile.ts";

export interface Caches {
  readonly sets: Cache<StatefulSet>;
  readonly pods: Cache<Pod>;
  readonly revisions: Cache<ControllerRevision>;
}

/** Index by the UID of the controller, or by namespace if there is none. */
export const BY_OWNER = "owner";

export function ownersOf(object: KubeObject): readonly string[] {
  return [controllerOf(object)?.uid ?? orphansIn(object.metadata.namespace ?? "")];
}

function orphansIn(namespace: string): string {
  return `orphans/${namespace}`;
}

export function familyOf(caches: Caches, set: StatefulSet): Family {
  const { namespace = "", uid = "" } = set.metadata;
  const isChosen = selects(set.spec.selector);
  const own = caches.pods.find(BY_OWNER, uid);
  const isMember = (pod: Pod) => ordinalIn(set, pod) !== undefined && isChosen(pod);
  return {
    set,
    pods: own.filter(isMember),
    strangers: own.filter((pod) => !isChosen(pod)),
    orphans: caches.pods
      .find(BY_OWNER, orphansIn(namespace))
      .filter((pod) => isMember(pod) && pod.metadata.deletionTimestamp === undefined),
    revisions: caches.revisions.find(BY_OWNER, uid),
    orphanRevisions: caches.revisions.find(BY_OWNER, orphansIn(namespace)).filter(isChosen),
  };
}

/**
 * The keys of the sets that a change of a pod affects: its owner, or the sets that select an
 * orphan.
 */
export function concernedBy({ sets }: Caches, change: CacheChange<Pod>): readonly string[] {
  const states = change.previous ? [change.object, change.previous] : [change.object];
  const keys = states.flatMap((pod) => {
    const { namespace = "" } = pod.metadata;
    const owner = controllerOf(pod);
    if (owner) return owner.kind === "StatefulSet" ? [`${namespace}/${owner.name}`] : [];
    return sets
      .list(namespace)
      .filter((set) => selects(set.spec.selector)(pod))
      .map(keyOf);
  });
  return [...new Set(keys)];
}

export function keyOf({ metadata }: StatefulSet): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
