/** Reads what belongs to an object and is described with it. */
import type { Lease } from "../../api/generated/coordination.ts";
import type { Event, Node, Pod } from "../../api/generated/core.ts";
import type { EndpointSlice } from "../../api/generated/discovery.ts";
import type { KubeObject } from "../../api/object.ts";
import { describeError } from "../../base/describe-error.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findOffered } from "../cluster/discovery.ts";
import { findObjects, type Selectors } from "../cluster/object-requests.ts";

/** Empty where they cannot be read: a description without them is better than none. */
export async function readEvents(
  cluster: Cluster,
  object: KubeObject,
  about: { readonly kind?: string; readonly uid?: string } = {},
): Promise<readonly Event[]> {
  const { name = "", namespace = "" } = object.metadata;
  const { kind = object.kind, uid = object.metadata.uid ?? "" } = about;
  const terms = { kind, uid, name, namespace };
  const fieldSelector = Object.entries(terms)
    .filter(([term, value]) => value !== "" || term === "namespace")
    .map(([term, value]) => `involvedObject.${term}=${value}`)
    .join(",");
  return readAll<Event>(cluster, "events", namespace, { fieldSelector }).catch(() => []);
}

/** A node agent may name its node in place of the uid. */
export async function readNodeEvents(cluster: Cluster, node: Node): Promise<readonly Event[]> {
  const { uid = "", name = "" } = node.metadata;
  const found = await Promise.all([
    readEvents(cluster, node, { uid }),
    readEvents(cluster, node, { uid: name }),
  ]);
  return found.flat();
}

export async function readPodsOfNode(cluster: Cluster, node: Node): Promise<readonly Pod[]> {
  const unfinished = "status.phase!=Succeeded,status.phase!=Failed";
  const fieldSelector = `spec.nodeName=${node.metadata.name},${unfinished}`;
  return readAll<Pod>(cluster, "pods", "", { fieldSelector });
}

export async function readPods(
  cluster: Cluster,
  namespace: string,
  selector: string,
): Promise<readonly Pod[]> {
  return readAll<Pod>(cluster, "pods", namespace, { selector });
}

export async function readSlices(
  cluster: Cluster,
  { metadata }: KubeObject,
): Promise<readonly EndpointSlice[]> {
  const selector = `kubernetes.io/service-name=${metadata.name}`;
  const resource = "endpointslices.discovery.k8s.io";
  return readAll<EndpointSlice>(cluster, resource, metadata.namespace ?? "", { selector }).catch(
    () => [],
  );
}

export async function readLease(
  cluster: Cluster,
  name: string,
): Promise<Lease | { readonly problem: string }> {
  try {
    const type = findOffered(await cluster.offered(), "leases.coordination.k8s.io");
    if (type === undefined) return { problem: "the server has no leases" };
    const place = { type, namespace: "kube-node-lease", name };
    const { objects } = await findObjects(cluster, place);
    return (objects[0] as Lease | undefined) ?? { problem: "not found" };
  } catch (error) {
    return { problem: describeError(error) };
  }
}

async function readAll<T extends KubeObject>(
  cluster: Cluster,
  resource: string,
  namespace: string,
  selectors: Selectors,
): Promise<readonly T[]> {
  const type = findOffered(await cluster.offered(), resource);
  if (type === undefined) return [];
  const target = { type, ...(namespace === "" ? {} : { namespace }) };
  return (await findObjects(cluster, target, selectors)).objects as readonly T[];
}
