/**
 * Pure: decides what to do about an object, given its state, its owners and its dependents.
 *
 * An object that is being deleted with policy Orphan or Foreground is released once its dependents
 * are orphaned or gone. Any other object stays as long as one of its owners exists and is deleted
 * when none is left. If all its remaining owners wait for their dependents (Foreground), it is
 * deleted in the foreground, too.
 */

import type { Node } from "./node.ts";
import type { Observation, ObservedOwner } from "./observe.ts";
import { FOREGROUND, ORPHAN } from "./phase.ts";

export type Policy = "Background" | "Foreground" | "Orphan";

export type Action =
  | {
      readonly kind: "delete";
      readonly policy: Policy;
      /** Set blockOwnerDeletion to false in its owner references before deleting it. */
      readonly unblocks: boolean;
    }
  /** Remove its references to the owners with these UIDs. */
  | { readonly kind: "disown"; readonly owners: readonly string[] }
  /** Remove the references of these dependents to it. */
  | { readonly kind: "orphan"; readonly dependents: readonly Node[] }
  | { readonly kind: "release"; readonly finalizer: string }
  | { readonly kind: "warn"; readonly reason: string; readonly message: string }
  /** A cache is behind. Without a retry, a missing owner could go unnoticed. */
  | { readonly kind: "lookAgain" };

export function decide(observation: Observation): readonly Action[] {
  const { node, dependents, isBlocked } = observation;
  switch (node.phase) {
    case "orphaning":
      return [
        { kind: "orphan", dependents },
        { kind: "release", finalizer: ORPHAN },
      ];
    case "deletingDependents":
      // The blocking dependents were queued when the deletion started, and queue this object when
      // they are gone.
      return isBlocked ? [] : [{ kind: "release", finalizer: FOREGROUND }];
    case "living":
      return decideLiving(observation);
    case "ending":
      return [];
  }
}

function decideLiving(observation: Observation): readonly Action[] {
  const { owners } = observation;
  const inState = (state: ObservedOwner["state"]) =>
    owners.filter((owner) => owner.state === state);
  if (owners.length === 0 || inState("unknowable").length > 0) return [];
  const [present, waiting, absent] = [inState("present"), inState("waiting"), inState("absent")];
  const warnings = absent.flatMap((owner) => warnOfNamespace(observation, owner));
  if (present.length === 0) return [...warnings, decideDeletion(observation, waiting)];
  const gone = [...absent, ...waiting].map(({ reference }) => reference.uid);
  return [
    ...warnings,
    ...(gone.length > 0 ? [{ kind: "disown", owners: gone } as const] : []),
    ...(present.some(({ node }) => !node) ? [{ kind: "lookAgain" } as const] : []),
  ];
}

function decideDeletion(
  { latest, dependents }: Observation,
  waiting: readonly ObservedOwner[],
): Action {
  if (waiting.length > 0 && dependents.length > 0) {
    // If a dependent also waits for its dependents, it may indirectly wait for this object. Unblock
    // the owners to break the cycle.
    const unblocks = dependents.some(({ phase }) => phase === "deletingDependents");
    return { kind: "delete", policy: "Foreground", unblocks };
  }
  return { kind: "delete", policy: policyOf(latest.metadata.finalizers ?? []), unblocks: false };
}

/** The policy follows from finalizers that the object already has. */
function policyOf(finalizers: readonly string[]): Policy {
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}

function warnOfNamespace(
  { node }: Observation,
  { reference, node: owner }: ObservedOwner,
): Action[] {
  const isElsewhere = owner?.type.namespaced && owner.namespace !== node.namespace;
  if (!isElsewhere) return [];
  const { apiVersion, kind, name, uid } = reference;
  const { namespace } = node;
  const shown = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  const message = `ownerRef ${shown} does not exist in namespace ${JSON.stringify(namespace)}`;
  return [{ kind: "warn", reason: "OwnerRefInvalidNamespace", message }];
}
