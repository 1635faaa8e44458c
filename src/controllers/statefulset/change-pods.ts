/** Carries out the decided pod changes of a StatefulSet. Claims are created before their pod. */
import type { Client } from "../../api/client.ts";
import { isLostRace } from "../../api/errors.ts";
import type { StatefulSet } from "../../api/generated/apps.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/generated/core.ts";
import { persistentVolumeClaims, pods } from "../../api/resources.ts";
import { describeError } from "../../base/describe-error.ts";
import { findObject } from "../../client/find.ts";
import type { EventRecorder } from "../runtime/recorder.ts";
import {
  claimsOf,
  hasItsVolumes,
  isStale,
  retentionOf,
  reviewOwners,
  volumesOf,
} from "./claims.ts";
import type { Action } from "./decide.ts";
import { ordinalIn, POD_NAME_LABEL, podNameOf } from "./identity.ts";
import { newPod, type Version } from "./new-pod.ts";

export interface Hands {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly labelsIndex: boolean;
}

export interface Versions {
  readonly current: Version;
  readonly update: Version;
}

export async function carryOut(
  hands: Hands,
  set: StatefulSet,
  versions: Versions,
  action: Action,
): Promise<void> {
  switch (action.kind) {
    case "create": {
      const version = action.isUpdated ? versions.update : versions.current;
      return createPod(hands, set, action.ordinal, version);
    }
    case "delete":
      return deletePod(hands, set, action.pod);
    case "provide":
      await provideClaims(hands, set, action.pod, ordinalIn(set, action.pod) ?? 0);
      return correctClaims(hands, set, action.pod, { isDue: true });
    default:
      return keepPod(hands, set, action.pod);
  }
}

async function createPod(
  hands: Hands,
  set: StatefulSet,
  ordinal: number,
  version: Version,
): Promise<void> {
  const pod = newPod(set, ordinal, version, hands);
  if (await hasStaleClaims(hands, set, ordinal)) throw new StaleClaim(pod.metadata.name ?? "");
  await provideClaims(hands, set, pod, ordinal);
  await told(hands, set, { verb: "Create", what: `Pod ${pod.metadata.name}` }, async () => {
    await hands.client.create(pods, pod);
  });
  await correctClaims(hands, set, pod, { isDue: true });
}

/**
 * No event is triggered when such a claim is gone, so the set is reconciled again after a delay.
 */
export class StaleClaim extends Error {
  constructor(pod: string) {
    super(`a claim of pod ${pod} is about to be deleted with an earlier pod of that name`);
    this.name = "StaleClaim";
  }
}

/**
 * True if a claim will be deleted together with a former pod. A new pod would lose it while
 * running.
 */
async function hasStaleClaims(
  { client }: Hands,
  set: StatefulSet,
  ordinal: number,
): Promise<boolean> {
  if (!retentionOf(set).deletesScaled) return false;
  for (const { metadata } of claimsOf(set, ordinal)) {
    const { namespace = "", name = "" } = metadata;
    const present = await findObject(client, persistentVolumeClaims, { namespace, name });
    if (present && isStale(present, podNameOf(set, ordinal))) return true;
  }
  return false;
}

async function provideClaims(
  hands: Hands,
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
): Promise<void> {
  for (const claim of claimsOf(set, ordinal)) {
    const { namespace = "", name = "" } = claim.metadata;
    const present = await findObject(hands.client, persistentVolumeClaims, { namespace, name });
    if (present?.metadata.deletionTimestamp !== undefined) {
      throw new Error(`pvc ${name} is being deleted`);
    }
    if (present) continue;
    const what = `Claim ${name} Pod ${pod.metadata.name}`;
    await told(hands, set, { verb: "Create", what, done: "success" }, async () => {
      await hands.client.create(persistentVolumeClaims, claim);
    });
  }
}

async function deletePod(hands: Hands, set: StatefulSet, { metadata }: Pod): Promise<void> {
  const { namespace = "", name = "", uid = "" } = metadata;
  await told(hands, set, { verb: "Delete", what: `Pod ${name}` }, async () => {
    await hands.client.delete(pods, { namespace, name }, { preconditions: { uid } });
  });
}

async function keepPod(hands: Hands, set: StatefulSet, pod: Pod): Promise<void> {
  await correctClaims(hands, set, pod, { isDue: false });
  const ordinal = ordinalIn(set, pod) ?? 0;
  const { name = "", labels } = pod.metadata;
  if (labels?.[POD_NAME_LABEL] === name && hasItsVolumes(set, pod)) return;
  await provideClaims(hands, set, pod, ordinal);
  const next: Pod = {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...labels, [POD_NAME_LABEL]: name } },
    spec: { ...pod.spec, volumes: volumesOf(set, ordinal, pod.spec.volumes ?? []) },
  };
  await told(hands, set, { verb: "Update", what: `Pod ${name}` }, async () => {
    await hands.client.update(pods, next);
  });
}

interface Correction {
  /** Continue even if the owners of all claims are right, in order to report a conflict. */
  readonly isDue: boolean;
}

/** Sets the owners of a pod's claims according to the retention policy. */
async function correctClaims(
  { client, recorder }: Hands,
  set: StatefulSet,
  pod: Pod,
  { isDue }: Correction,
): Promise<void> {
  const places = claimsOf(set, ordinalIn(set, pod) ?? 0).map(({ metadata }) => metadata);
  const found = await Promise.all(
    places.map(({ namespace = "", name = "" }) =>
      findObject(client, persistentVolumeClaims, { namespace, name }),
    ),
  );
  const reviews = found.flatMap((claim) =>
    claim ? [{ claim, ...reviewOwners(set, pod, claim) }] : [],
  );
  if (!isDue && reviews.every(({ corrected }) => corrected === undefined)) return;
  for (const { claim, isContested, corrected: ownerReferences } of reviews) {
    if (isContested) recorder.event(set, "Warning", "ConflictingController", conflictOver(claim));
    if (!ownerReferences) continue;
    const metadata = { ...claim.metadata, ownerReferences };
    await client.update(persistentVolumeClaims, { ...claim, metadata });
  }
}

/** In Kubernetes' wording, including its spelling mistake. */
function conflictOver({ metadata }: PersistentVolumeClaim): string {
  const what = `PersistentVolumeClaim ${metadata.name} has a conflicting OwnerReference`;
  const outcome = "the retention policy is ignored for this claim";
  return `${what} that acts as a manging controller, ${outcome}`;
}

interface Deed {
  readonly verb: "Create" | "Delete" | "Update";
  readonly what: string;
  readonly done?: string;
}

/** Records an event about the result, except if another client made the same change first. */
async function told(
  { recorder }: Hands,
  set: StatefulSet,
  { verb, what, done = "successful" }: Deed,
  act: () => Promise<void>,
): Promise<void> {
  const where = `in StatefulSet ${set.metadata.name}`;
  try {
    await act();
  } catch (error) {
    if (verb === "Delete" && isLostRace(error)) return;
    if (!isLostRace(error)) {
      const deed = `${verb.toLowerCase()} ${what} ${where}`;
      const failure = `${deed} failed error: ${describeError(error)}`;
      recorder.event(set, "Warning", `Failed${verb}`, failure);
    }
    throw error;
  }
  recorder.event(set, "Normal", `Successful${verb}`, `${verb} ${what} ${where} ${done}`);
}
