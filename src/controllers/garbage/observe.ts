/**
 * Reads the current state of an object and its owners from the server. The graph may be behind, so
 * it only tells which objects to check, never that one is gone.
 */
import type { Client, ResourceType } from "../../api/client.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import type { KubeObject } from "../../api/object.ts";
import { findObject } from "../../client/find.ts";
import type { DependencyGraph } from "./graph.ts";
import { type Node, placeOf } from "./node.ts";
import { phaseOf } from "./phase.ts";

export interface ObservedOwner {
  readonly reference: OwnerReference;
  readonly state:
    | "present"
    /** Being deleted in the foreground: it waits for its dependents, including this object. */
    | "waiting"
    | "absent"
    /** Of a kind that this server does not have, or that cannot own this object. */
    | "unknowable";
  /** The node in the graph with that UID, which may be in another namespace. */
  readonly node?: Node;
}

export interface Observation {
  readonly node: Node;
  readonly latest: KubeObject;
  /** One entry per owner reference; empty unless the object is living. */
  readonly owners: readonly ObservedOwner[];
  readonly dependents: readonly Node[];
  readonly isBlocked: boolean;
}

export interface Observing {
  readonly client: Client;
  readonly graph: DependencyGraph;
  readonly ownerTypes: OwnerTypes;
}

/** Resource types by the apiVersion and kind used in owner references. */
export type OwnerTypes = ReadonlyMap<string, ResourceType>;

/**
 * Undefined if nothing is left to do: the object is gone, or being deleted without dependents to
 * handle.
 */
export async function observe(observing: Observing, uid: string): Promise<Observation | undefined> {
  const { client, graph } = observing;
  const node = graph.find(uid);
  if (!node || node.phase === "ending") return undefined;
  const latest = await findObject(client, node.type, placeOf(node));
  if (!latest || latest.metadata.uid !== uid) return undefined;
  const references = node.phase === "living" ? (latest.metadata.ownerReferences ?? []) : [];
  const owners: ObservedOwner[] = [];
  for (const reference of references) {
    owners.push(await observeOwner(observing, node, reference));
  }
  const dependents = graph.dependentsOf(uid);
  return { node, latest, owners, dependents, isBlocked: graph.isBlocked(uid) };
}

async function observeOwner(
  { client, graph, ownerTypes }: Observing,
  dependent: Node,
  reference: OwnerReference,
): Promise<ObservedOwner> {
  const node = graph.find(reference.uid);
  const known = { reference, ...(node ? { node } : {}) };
  const type = ownerTypes.get(`${reference.apiVersion} ${reference.kind}`);
  if (!type || (type.namespaced && dependent.namespace === "")) {
    return { ...known, state: "unknowable" };
  }
  // An owner must be in the namespace of its dependent, so it is only looked up there.
  const { namespace } = dependent;
  const place = type.namespaced ? { namespace, name: reference.name } : { name: reference.name };
  const owner = await findObject(client, type, place);
  if (!owner || owner.metadata.uid !== reference.uid) return { ...known, state: "absent" };
  const isWaiting = phaseOf(owner.metadata) === "deletingDependents";
  return { ...known, state: isWaiting ? "waiting" : "present" };
}
