/** "tally get --watch": what there is, and then each change as it comes. */
import type { KubeObject } from "../api/object.ts";
import { UsageError } from "../base/usage-error.ts";
import type { Machine } from "../command/machine.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { findObjects, findTables, TABLE, watchRequest } from "./cluster/object-requests.ts";
import type { Target } from "./cluster/targets.ts";
import { eventsOf } from "./cluster/watch-events.ts";
import type { GetFlags } from "./get-flags.ts";
import type { ObjectPrinter } from "./output/object-printer.ts";
import { type TableOptions, TablePrinter, type WireTable } from "./output/table.ts";

export interface Watching {
  readonly flags: GetFlags;
  readonly machine: Machine;
  readonly printer: ObjectPrinter | undefined;
  readonly options: TableOptions;
}

/** Settles when the server ends the watch. */
export async function watchTarget(
  cluster: Cluster,
  targets: readonly Target[],
  watching: Watching,
): Promise<void> {
  const [target] = targets;
  if (target === undefined || targets.length > 1) {
    throw new UsageError("--watch takes one object or the objects of one kind");
  }
  if (watching.printer) await watchObjects(cluster, target, watching, watching.printer);
  else await watchTables(cluster, target, watching);
}

async function watchTables(cluster: Cluster, target: Target, watching: Watching): Promise<void> {
  const { flags, machine, options } = watching;
  const table = new TablePrinter(options);
  const tables = await findTables(cluster, target, flags);
  const resourceVersion = tables.at(-1)?.metadata?.resourceVersion;
  if (!flags.watchOnly) machine.writeOut(table.print(tables));
  const request = { ...watchRequest(target, flags, { resourceVersion }), accept: TABLE };
  for await (const event of eventsOf<WireTable>(cluster, request)) {
    machine.writeOut(table.print([event.object]));
  }
}

async function watchObjects(
  cluster: Cluster,
  target: Target,
  { flags, machine }: Watching,
  printer: ObjectPrinter,
): Promise<void> {
  const { type } = target;
  const { objects, resourceVersion } = await findObjects(cluster, target, flags);
  let separator = "";
  const print = (object: KubeObject) => {
    machine.writeOut(separator + printer.one({ type, object }));
    separator = flags.output === "yaml" ? "---\n" : "";
  };
  if (!flags.watchOnly) for (const object of objects) print(object);
  const request = watchRequest(target, flags, { resourceVersion });
  for await (const { object } of eventsOf<KubeObject>(cluster, request)) print(object);
}
