/**
 * Pure: what to do about an object, given what is true of it, its owners and its dependents.
 *
 * An object being deleted with its dependents orphaned or in the foreground is released once they
 * are. Any other stays as long as one of its owners does and is deleted once none is left; one that
 * has nothing but owners waiting for their dependents passes their waiting on to its own.
 */

import type { Node } from "./node.ts";
import type { Observation, ObservedOwner } from "./observe.ts";
import { FOREGROUND, ORPHAN } from "./phase.ts";

export type Policy = "Background" | "Foreground" | "Orphan";

export type Action =
  | {
      readonly kind: "delete";
      readonly policy: Policy;
      /** Its references no longer hold its owners back. */
      readonly unblocks: boolean;
    }
  /** Its references to these uids go. */
  | { readonly kind: "disown"; readonly owners: readonly string[] }
  /** The references of these to it go. */
  | { readonly kind: "orphan"; readonly dependents: readonly Node[] }
  | { readonly kind: "release"; readonly finalizer: string }
  | { readonly kind: "warn"; readonly reason: string; readonly message: string }
  /** A cache lags behind. Should it never catch up, an owner could go unnoticed. */
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
      // Those that block it were called up when this began, and call it up when they are gone.
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
    // A dependent that waits already may wait, in the end, for this object: break the circle.
    const unblocks = dependents.some(({ phase }) => phase === "deletingDependents");
    return { kind: "delete", policy: "Foreground", unblocks };
  }
  return { kind: "delete", policy: policyOf(latest.metadata.finalizers ?? []), unblocks: false };
}

/** What a finalizer says already about its dependents is heeded. */
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
