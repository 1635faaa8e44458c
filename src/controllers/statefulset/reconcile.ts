/**
 * One reconcile of a StatefulSet:
 *
 *     claim pods -> record template -> decide -> change pods -> write status -> prune revisions
 */
import type { Client, Name, PatchRequest } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import { ApiError } from "../../api/errors.ts";
import type { ControllerRevision, StatefulSet } from "../../api/generated/apps.ts";
import type { Pod } from "../../api/generated/core.ts";
import { controllerRevisions, pods, statefulSets } from "../../api/resources.ts";
import type { Clock } from "../../base/clock.ts";
import { isNotFound } from "../../client/find.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import { carryOut, type Hands } from "./change-pods.ts";
import { type Action, decide } from "./decide.ts";
import { revisionOf } from "./identity.ts";
import { referenceTo } from "./new-pod.ts";
import { byRevision, planRevision, surplusRevisions, versionOf } from "./revisions.ts";
import { composeStatus, type Revisions } from "./status.ts";

export interface SetSync extends Hands {
  readonly clock: Clock;
}

/** The pods and revisions of the set, those it has to release, and orphans it may adopt. */
export interface Family {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly strangers: readonly Pod[];
  readonly orphans: readonly Pod[];
  readonly revisions: readonly ControllerRevision[];
  readonly orphanRevisions: readonly ControllerRevision[];
}

export async function reconcile(sync: SetSync, family: Family): Promise<Outcome> {
  const { clock } = sync;
  const { set } = family;
  await claim(sync.client, family);
  const revisions = [...family.revisions, ...family.orphanRevisions].sort(byRevision);
  const recorded = await recordTemplate(sync.client, set, revisions);
  const { update } = recorded;
  const current = revisions.find(({ metadata }) => metadata.name === set.status.currentRevision);
  const versions = { current: versionOf(current ?? update), update: versionOf(update) };
  const names: Revisions = {
    current: versions.current.name,
    update: versions.update.name,
    collisions: recorded.collisions,
  };
  const nowMs = clock.nowMs();
  const observation = { set, pods: family.pods, updateRevision: names.update, nowMs };
  const decision = decide(observation);
  try {
    const act = (action: Action) => carryOut(sync, set, versions, action);
    const isDeletion = ({ kind }: Action) => kind === "delete";
    await Promise.all(decision.actions.filter((action) => !isDeletion(action)).map(act));
    // Before deletions: a pod that is gone can no longer become the owner of its claims.
    await Promise.all(decision.actions.filter(isDeletion).map(act));
  } finally {
    await writeStatus(sync.client, set, composeStatus(set, family.pods, names, nowMs));
  }
  await forget(sync.client, set, recorded.all, [names.current, names.update, ...family.pods]);
  return decision.againInMs === undefined ? done : after(decision.againInMs);
}

/**
 * Adopts orphaned pods with the right name and labels, and releases own pods whose labels differ.
 */
async function claim(client: Client, family: Family): Promise<void> {
  const { set, strangers, orphans, orphanRevisions } = family;
  const owner = { ownerReferences: [referenceTo(set)] };
  for (const pod of strangers) {
    const ownerReferences = [{ $patch: "delete", uid: set.metadata.uid }];
    await claimOne(client, pod, { uid: pod.metadata.uid, ownerReferences });
  }
  if (orphans.length + orphanRevisions.length === 0) return;
  const fresh = await client.get(statefulSets, nameOf(set));
  const isSame = fresh.metadata.uid === set.metadata.uid;
  if (!isSame || fresh.metadata.deletionTimestamp !== undefined) return;
  for (const pod of orphans) await claimOne(client, pod, { uid: pod.metadata.uid, ...owner });
  for (const revision of orphanRevisions) {
    await client.patch(controllerRevisions, nameOf(revision), strategic(owner));
  }
}

async function claimOne(client: Client, pod: Pod, metadata: object): Promise<void> {
  try {
    await client.patch(pods, nameOf(pod), strategic(metadata));
  } catch (error) {
    // The pod is gone or was replaced by another one: nothing to claim.
    const isMoot = error instanceof ApiError && MOOT.includes(error.reason);
    if (!isMoot) throw error;
  }
}

const MOOT = ["NotFound", "Invalid", "Conflict"];

function strategic(metadata: object): PatchRequest {
  return { type: "strategic", body: { metadata } };
}

interface Recorded {
  readonly update: ControllerRevision;
  readonly collisions: number;
  readonly all: readonly ControllerRevision[];
}

/** Finds or creates the revision of the current template. */
async function recordTemplate(
  client: Client,
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
): Promise<Recorded> {
  for (let collisions = set.status.collisionCount ?? 0; ; collisions++) {
    const plan = planRevision(set, revisions, collisions);
    if (plan.kind === "use") return { update: plan.revision, collisions, all: revisions };
    if (plan.kind === "renumber") {
      const update = await client.update(controllerRevisions, {
        ...plan.revision,
        revision: plan.to,
      });
      const others = revisions.filter((each) => each !== plan.revision);
      return { update, collisions, all: [...others, update] };
    }
    try {
      const update = await client.create(controllerRevisions, plan.revision);
      return { update, collisions, all: [...revisions, update] };
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
      const present = await client.get(controllerRevisions, nameOf(plan.revision));
      if (isEqual(present.data, plan.revision.data)) {
        return { update: present, collisions, all: [...revisions, present] };
      }
    }
  }
}

async function writeStatus(
  client: Client,
  set: StatefulSet,
  status: StatefulSet["status"],
): Promise<void> {
  if (isEqual(set.status, status)) return;
  try {
    await client.updateStatus(statefulSets, { ...set, status });
  } catch (error) {
    // If the set was deleted in the meantime, there is no status to write.
    if (!isNotFound(error)) throw error;
  }
}

async function forget(
  client: Client,
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  users: readonly (string | Pod)[],
): Promise<void> {
  const used = new Set(users.map((user) => (typeof user === "string" ? user : revisionOf(user))));
  for (const revision of surplusRevisions(set, revisions.toSorted(byRevision), used)) {
    await client.delete(controllerRevisions, nameOf(revision)).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

function nameOf({ metadata }: StatefulSet | Pod | ControllerRevision): Name {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}
