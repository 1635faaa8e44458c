/** The objects a command is to do something with: named, selected, or described by manifests. */
import type { KubeObject } from "../../api/object.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Machine } from "../../command/machine.ts";
import type { Cluster } from "./cluster.ts";
import { findObjects } from "./object-requests.ts";
import { type ManifestFlags, readManifests } from "./read-manifests.ts";
import { findTargets, type Target } from "./targets.ts";

export interface SelectionFlags extends ManifestFlags {
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
}

/** A target that names one object, and the object where it had to be looked up. */
export interface NamedTarget extends Target {
  readonly name: string;
  readonly object?: KubeObject;
}

/** Those named are not looked up: whether they are there is for the command to find out. */
export async function namedObjects(
  cluster: Cluster,
  args: readonly string[],
  flags: SelectionFlags,
  machine: Machine,
): Promise<readonly NamedTarget[]> {
  if (flags.filename !== undefined) {
    if (args.length > 0) throw new UsageError("--filename and names exclude each other");
    return (await readManifests(cluster, flags, machine)).map(({ type, object }) =>
      named({ type }, object),
    );
  }
  if (args.length === 0) throw new UsageError("say what: a NAME, TYPE NAME or TYPE/NAME");
  const isEverywhere = flags.allNamespaces === true;
  const { targets } = await findTargets(cluster, args, { isEverywhere });
  const isSelected = Boolean(flags.selector || flags.fieldSelector || flags.all);
  const found = await Promise.all(
    targets.map(async (target): Promise<readonly NamedTarget[]> => {
      const { name } = target;
      if (name !== undefined) {
        if (isSelected) throw new UsageError("names exclude selectors and --all");
        return [{ ...target, name }];
      }
      if (!isSelected) throw new UsageError("a resource type was given, but no name (or --all)");
      const { objects } = await findObjects(cluster, target, flags);
      return objects.map((object) => ({ ...named(target, object), object }));
    }),
  );
  return found.flat();
}

function named({ type }: Pick<Target, "type">, { metadata }: KubeObject): NamedTarget {
  const { name = "", namespace } = metadata;
  return { type, name, ...(namespace === undefined ? {} : { namespace }) };
}
