/** Carries out what was decided about the pods of a StatefulSet, claims first. */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { StatefulSet } from "../../api/generated/apps.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/generated/core.ts";
import { persistentVolumeClaims, pods } from "../../api/resources.ts";
import { describeError } from "../../base/describe-error.ts";
import { findObject, isNotFound } from "../../client/find.ts";
import type { EventRecorder } from "../runtime/recorder.ts";
import {
  claimsOf,
  correctedOwners,
  hasItsVolumes,
  isStale,
  retentionOf,
  volumesOf,
} from "./claims.ts";
import type { Action } from "./decide.ts";
import { ordinalIn, POD_NAME_LABEL } from "./identity.ts";
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
      return provideClaims(hands, set, action.pod, ordinalIn(set, action.pod) ?? 0);
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
  if (await hasStaleClaims(hands, set, ordinal)) return;
  await provideClaims(hands, set, pod, ordinal);
  await told(hands, set, { verb: "Create", what: `Pod ${pod.metadata.name}` }, async () => {
    await hands.client.create(pods, pod);
  });
}

/** Claims that go with a pod that is gone: a new pod would lose them while it runs. */
async function hasStaleClaims(
  { client }: Hands,
  set: StatefulSet,
  ordinal: number,
): Promise<boolean> {
  if (!retentionOf(set).deletesScaled) return false;
  for (const { metadata } of claimsOf(set, ordinal)) {
    const { namespace = "", name = "" } = metadata;
    const present = await findObject(client, persistentVolumeClaims, { namespace, name });
    if (present && isStale(present, undefined)) return true;
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
  await correctClaims(hands, set, pod);
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

async function correctClaims({ client }: Hands, set: StatefulSet, pod: Pod): Promise<void> {
  for (const { metadata } of claimsOf(set, ordinalIn(set, pod) ?? 0)) {
    const { namespace = "", name = "" } = metadata;
    const claim = await findObject(client, persistentVolumeClaims, { namespace, name });
    const ownerReferences = claim && correctedOwners(set, pod, claim);
    if (!claim || !ownerReferences) continue;
    const next: PersistentVolumeClaim = {
      ...claim,
      metadata: { ...claim.metadata, ownerReferences },
    };
    await client.update(persistentVolumeClaims, next);
  }
}

interface Deed {
  readonly verb: "Create" | "Delete" | "Update";
  readonly what: string;
  readonly done?: string;
}

/** An event tells how it went. What is there already, or gone already, is no news. */
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
    if (verb === "Delete" && isNotFound(error)) return;
    if (!(error instanceof ApiError && error.reason === "AlreadyExists")) {
      const deed = `${verb.toLowerCase()} ${what} ${where}`;
      const failure = `${deed} failed error: ${describeError(error)}`;
      recorder.event(set, "Warning", `Failed${verb}`, failure);
    }
    throw error;
  }
  recorder.event(set, "Normal", `Successful${verb}`, `${verb} ${what} ${where} ${done}`);
}
