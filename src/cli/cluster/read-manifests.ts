/** Reads the manifests that --filename names, as a server takes them. */
import type { KubeObject } from "../../api/object.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { type ObjectFiles, readObjects } from "../../command/read-objects.ts";
import type { Cluster } from "./cluster.ts";
import { findKind, type Offered } from "./discovery.ts";

export interface ManifestFlags extends ObjectFiles {
  /** As given: an object that says another one is refused. */
  readonly namespace?: string;
}

export interface Manifest {
  /** "job.yaml", or "STDIN". */
  readonly source: string;
  readonly type: Offered;
  /** In the namespace it is meant for. */
  readonly object: KubeObject;
}

/** In the order they are written; the items of a List one by one. */
export async function readManifests(
  cluster: Cluster,
  flags: ManifestFlags,
  machine: Machine,
): Promise<readonly Manifest[]> {
  const objects = await readObjects(flags, machine);
  if (objects.length === 0) throw new CommandFailure("error: no objects passed to apply");
  const offered = await cluster.offered();
  return objects.map(({ source, object }) => {
    const type = findKind(offered, object);
    if (type === undefined) throw unknownKind(source, object);
    return { source, type, object: placed(object, type, cluster, flags) };
  });
}

function placed(
  object: KubeObject,
  type: Offered,
  cluster: Cluster,
  flags: ManifestFlags,
): KubeObject {
  const { namespace } = object.metadata;
  if (!type.namespaced) return object;
  if (namespace && flags.namespace && namespace !== flags.namespace) {
    throw new CommandFailure(
      `error: the namespace from the provided object "${namespace}" does not match the ` +
        `namespace "${flags.namespace}". You must pass '--namespace=${namespace}' to perform ` +
        "this operation.",
    );
  }
  return { ...object, metadata: { ...object.metadata, namespace: namespace || cluster.namespace } };
}

function unknownKind(source: string, { apiVersion, kind, metadata }: KubeObject): CommandFailure {
  const { name = "", namespace = "" } = metadata;
  return new CommandFailure(
    `error: resource mapping not found for name: "${name}" namespace: "${namespace}" from ` +
      `"${source}": no matches for kind "${kind}" in version "${apiVersion}"\n` +
      "ensure CRDs are installed first",
  );
}
