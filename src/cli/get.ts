/** "tally get": objects as a table, or whole. Watching them is in get-watch.ts. */

import { UsageError } from "../base/usage-error.ts";
import { isNotFound } from "../client/find.ts";
import { failureOf } from "../command/error-text.ts";
import type { Machine } from "../command/machine.ts";
import { type Cluster, openCluster } from "./cluster/cluster.ts";
import { formatKindName } from "./cluster/discovery.ts";
import { findObjects, findTables } from "./cluster/object-requests.ts";
import { findTargets, type Target, type Targets } from "./cluster/targets.ts";
import type { GetFlags } from "./get-flags.ts";
import { watchTarget } from "./get-watch.ts";
import { type ObjectPrinter, objectPrinter, type Printable } from "./output/object-printer.ts";
import { sortTables } from "./output/sort-rows.ts";
import { type TableOptions, TablePrinter, type WireTable } from "./output/table.ts";

export async function get(
  args: readonly string[],
  flags: GetFlags,
  machine: Machine,
): Promise<void> {
  const withManagedFields = flags.showManagedFields === true;
  const printer = objectPrinter(flags.output, { withManagedFields }, ["wide"]);
  const cluster = await openCluster(flags, machine);
  try {
    const wanted = args.length === 0 ? ["jobs"] : args;
    const isEverywhere = flags.allNamespaces === true;
    const found = await findTargets(cluster, wanted, { isEverywhere });
    if (found.targets.some(({ name }) => name !== undefined)) refuseSelectors(flags);
    if (flags.watch || flags.watchOnly) {
      const options = tableOptions(flags, found.targets[0], false);
      await watchTarget(cluster, found.targets, { flags, machine, printer, options });
    } else if (printer) {
      await printObjects(cluster, found, { flags, machine, printer });
    } else {
      await printTables(cluster, found, { flags, machine });
    }
  } finally {
    cluster.close();
  }
}

function refuseSelectors({ selector, fieldSelector }: GetFlags): void {
  if (!selector && !fieldSelector) return;
  throw new UsageError("name cannot be provided when a selector is specified");
}

interface Printing {
  readonly flags: GetFlags;
  readonly machine: Machine;
}

async function printObjects(
  cluster: Cluster,
  { targets, isSingle }: Targets,
  { flags, machine, printer }: Printing & { readonly printer: ObjectPrinter },
): Promise<void> {
  const { results, errors } = await askEach(targets, flags, async (target) => {
    const { objects } = await findObjects(cluster, target, flags);
    return objects.map((object): Printable => ({ type: target.type, object }));
  });
  const printables = results.flatMap(({ result }) => result);
  const [only] = printables;
  if (isSingle && only) machine.writeOut(printer.one(only));
  else if (!isSingle) machine.writeOut(printer.many(printables));
  throwIfAny(errors);
}

async function printTables(
  cluster: Cluster,
  { targets }: Targets,
  { flags, machine }: Printing,
): Promise<void> {
  const includesObjects = flags.sortBy !== undefined;
  const { results, errors } = await askEach(targets, flags, (target) =>
    findTables(cluster, target, { ...flags, includesObjects }),
  );
  const isMixed = new Set(results.map(({ target }) => target.type)).size > 1;
  const texts = groupsOf(results).flatMap(({ target, tables }) => {
    const shown = flags.sortBy === undefined ? tables : sortTables(tables, flags.sortBy);
    const text = new TablePrinter(tableOptions(flags, target, isMixed)).print(shown);
    return text === "" ? [] : [text];
  });
  machine.writeOut(texts.join(flags.headers ? "\n" : ""));
  if (texts.length === 0 && errors.length === 0 && !flags.ignoreNotFound) {
    machine.writeError(`${nothingFound(cluster, targets)}\n`);
  }
  throwIfAny(errors);
}

interface Group {
  readonly target: Target;
  readonly tables: readonly WireTable[];
}

/** What follows one another and is of one kind is printed as one table. */
function groupsOf(
  results: readonly { readonly target: Target; readonly result: readonly WireTable[] }[],
): readonly Group[] {
  const groups: { target: Target; tables: WireTable[] }[] = [];
  for (const { target, result } of results) {
    const filled = result.filter(({ rows }) => rows && rows.length > 0);
    if (filled.length === 0) continue;
    const last = groups.at(-1);
    if (last?.target.type === target.type) last.tables.push(...filled);
    else groups.push({ target, tables: [...filled] });
  }
  return groups;
}

function tableOptions(flags: GetFlags, target: Target | undefined, isMixed: boolean): TableOptions {
  const { allNamespaces, headers, showLabels = false, labelColumns } = flags;
  const type = target?.type;
  const showsKind = flags.showKind === true || isMixed;
  return {
    isWide: flags.output === "wide",
    hasHeaders: headers,
    withNamespace: allNamespaces === true && type?.namespaced === true,
    withLabels: showLabels,
    ...(labelColumns ? { labelColumns: labelColumns.split(",") } : {}),
    ...(showsKind && type ? { namePrefix: formatKindName(type, "") } : {}),
  };
}

interface Asked<T> {
  readonly results: readonly { readonly target: Target; readonly result: T }[];
  readonly errors: readonly unknown[];
}

/** What one target is refused for is no reason to leave out the others. */
async function askEach<T>(
  targets: readonly Target[],
  { ignoreNotFound }: GetFlags,
  ask: (target: Target) => Promise<T>,
): Promise<Asked<T>> {
  const settled = await Promise.allSettled(targets.map(ask));
  const errors = settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  return {
    results: settled.flatMap((each, at) => {
      const target = targets[at];
      return each.status === "fulfilled" && target ? [{ target, result: each.value }] : [];
    }),
    errors: errors.filter((error) => !(ignoreNotFound && isNotFound(error))),
  };
}

function throwIfAny(errors: readonly unknown[]): void {
  const failure = failureOf(errors);
  if (failure) throw failure;
}

export function nothingFound(cluster: Cluster, targets: readonly Target[]): string {
  const isOfOne = targets.every(({ namespace }) => namespace !== undefined);
  return isOfOne ? `No resources found in ${cluster.namespace} namespace.` : "No resources found";
}
