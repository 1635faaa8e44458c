/**
 * What the server says right now of an object the graph knows and of its owners. The graph may lag
 * behind: it says where to look, never what is gone.
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
    /** Being deleted in the foreground: it waits for this object among others. */
    | "waiting"
    | "absent"
    /** Of a kind this server does not have, or one this object cannot be owned by. */
    | "unknowable";
  /** The graph's idea of who has that uid, wherever that is. */
  readonly node?: Node;
}

export interface Observation {
  readonly node: Node;
  readonly latest: KubeObject;
  /** One for each of the owner references of a living object. */
  readonly owners: readonly ObservedOwner[];
  readonly dependents: readonly Node[];
  readonly isBlocked: boolean;
}

export interface Observing {
  readonly client: Client;
  readonly graph: DependencyGraph;
  readonly ownerTypes: OwnerTypes;
}

/** Resource types by what an owner reference calls them. */
export type OwnerTypes = ReadonlyMap<string, ResourceType>;

/** Nothing where there is nothing left to do: the object is gone or going by itself. */
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
  // An owner is looked for where its dependent is: elsewhere it would be none.
  const { namespace } = dependent;
  const place = type.namespaced ? { namespace, name: reference.name } : { name: reference.name };
  const owner = await findObject(client, type, place);
  if (!owner || owner.metadata.uid !== reference.uid) return { ...known, state: "absent" };
  const isWaiting = phaseOf(owner.metadata) === "deletingDependents";
  return { ...known, state: isWaiting ? "waiting" : "present" };
}
