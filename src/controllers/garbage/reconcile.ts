/** Observes one object and carries out the decided actions. */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { unreachable } from "../../base/assert.ts";
import { isNotFound } from "../../client/find.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import type { EventRecorder } from "../runtime/recorder.ts";
import { type Action, decide, type Policy } from "./decide.ts";
import { type Node, placeOf } from "./node.ts";
import { type Observing, observe } from "./observe.ts";

export interface Collecting extends Observing {
  readonly recorder: EventRecorder;
}

const LOOK_AGAIN_MS = 30_000;
/** The number of dependents of one owner that are orphaned concurrently. */
const BATCH = 50;

export async function reconcile(collecting: Collecting, uid: string): Promise<Outcome> {
  const observation = await observe(collecting, uid);
  if (!observation) return done;
  const actions = decide(observation);
  for (const action of actions) {
    await apply(collecting, action, observation);
  }
  return actions.some(({ kind }) => kind === "lookAgain") ? after(LOOK_AGAIN_MS) : done;
}

interface Target {
  readonly node: Node;
  /** The state the decision is based on. If it has changed, the server rejects the request. */
  readonly latest: KubeObject;
}

async function apply(
  { client, recorder }: Collecting,
  action: Action,
  target: Target,
): Promise<void> {
  const { node, latest } = target;
  switch (action.kind) {
    case "delete":
      return unlessGone(deleteObject(client, target, action));
    case "disown":
      return unlessGone(disown(client, node, action.owners));
    case "orphan":
      return orphan(client, node, action.dependents);
    case "release":
      return unlessGone(release(client, target, action.finalizer));
    case "warn":
      recorder.event(latest, "Warning", action.reason, action.message);
      return;
    case "lookAgain":
      return;
    default:
      unreachable(action);
  }
}

async function unlessGone(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/**
 * The resourceVersion is a precondition, too: an owner may have been added since the object was
 * read.
 */
async function deleteObject(
  client: Client,
  { node, latest }: Target,
  { policy, unblocks }: { readonly policy: Policy; readonly unblocks: boolean },
): Promise<void> {
  const { metadata } = unblocks ? await unblock(client, node, latest) : latest;
  const { resourceVersion = "" } = metadata;
  await client.delete(node.type, placeOf(node), {
    propagationPolicy: policy,
    preconditions: { uid: node.uid, resourceVersion },
  });
}

async function unblock(client: Client, node: Node, { metadata }: KubeObject): Promise<KubeObject> {
  const { resourceVersion, ownerReferences = [] } = metadata;
  const unblocked = ownerReferences.map((reference) => {
    return reference.blockOwnerDeletion ? { ...reference, blockOwnerDeletion: false } : reference;
  });
  const changed = unblocked.filter((reference, at) => reference !== ownerReferences[at]);
  try {
    return await patchMetadata(client, node, { resourceVersion, ownerReferences: changed });
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    const body = { metadata: { uid: node.uid, resourceVersion, ownerReferences: unblocked } };
    return client.patch(node.type, placeOf(node), { type: "merge", body });
  }
}

async function disown(client: Client, node: Node, owners: readonly string[]): Promise<KubeObject> {
  const ownerReferences = owners.map((uid) => ({ $patch: "delete", uid }));
  try {
    return await patchMetadata(client, node, { ownerReferences });
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    return disownWhole(client, node, owners);
  }
}

async function orphan(client: Client, owner: Node, dependents: readonly Node[]): Promise<void> {
  for (let from = 0; from < dependents.length; from += BATCH) {
    const batch = dependents.slice(from, from + BATCH);
    await Promise.all(batch.map((each) => unlessGone(disown(client, each, [owner.uid]))));
  }
}

/** Custom resources do not support strategic merge patches, so the whole list is written. */
async function disownWhole(
  client: Client,
  node: Node,
  owners: readonly string[],
): Promise<KubeObject> {
  const latest = await client.get(node.type, placeOf(node));
  const { resourceVersion, ownerReferences = [] } = latest.metadata;
  const rest = ownerReferences.filter(({ uid }) => !owners.includes(uid));
  const body = { metadata: { uid: node.uid, resourceVersion, ownerReferences: rest } };
  return client.patch(node.type, placeOf(node), { type: "merge", body });
}

function isUnsupported(error: unknown): boolean {
  return error instanceof ApiError && error.code === 415;
}

/**
 * The UID in the patch changes nothing. It makes the server reject the patch if the name now
 * belongs to another object.
 */
function patchMetadata(client: Client, node: Node, change: object): Promise<KubeObject> {
  const body = { metadata: { uid: node.uid, ...change } };
  return client.patch(node.type, placeOf(node), { type: "strategic", body });
}

function release(client: Client, { node, latest }: Target, finalizer: string): Promise<KubeObject> {
  const { resourceVersion, finalizers = [] } = latest.metadata;
  const rest = finalizers.filter((each) => each !== finalizer);
  const body = { metadata: { resourceVersion, finalizers: rest } };
  return client.patch(node.type, placeOf(node), { type: "merge", body });
}
