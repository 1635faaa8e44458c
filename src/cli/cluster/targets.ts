/**
 * What the arguments of a command mean: "TYPE", "TYPE NAME…", "TYPE/NAME…", and NAME alone, which
 * is a Job.
 */
import { CommandFailure } from "../../command/command-failure.ts";
import type { Cluster } from "./cluster.ts";
import { findCategory, findOffered, type Offered } from "./discovery.ts";

export interface Target {
  readonly type: Offered;
  /** Absent for cluster-scoped kinds, and for all namespaces. */
  readonly namespace?: string;
  /** Absent: all of the kind. */
  readonly name?: string;
}

export interface Targets {
  readonly targets: readonly Target[];
  /** Whether one object was asked for by name: it is then printed as itself, not as a list. */
  readonly isSingle: boolean;
}

export interface TargetOptions {
  readonly isEverywhere?: boolean;
}

export async function findTargets(
  cluster: Cluster,
  args: readonly string[],
  { isEverywhere = false }: TargetOptions = {},
): Promise<Targets> {
  const offered = await cluster.offered();
  const named = readArguments(offered, args);
  const names = named.flatMap((each) => each.names);
  if (isEverywhere && names.length > 0) {
    throw new CommandFailure("error: a resource cannot be retrieved by name across all namespaces");
  }
  const targets = named.flatMap(({ type, names: own }) => {
    const place = type.namespaced && !isEverywhere ? { namespace: cluster.namespace } : {};
    if (own.length === 0) return [{ type, ...place }];
    return own.map((name) => ({ type, ...place, name }));
  });
  return { targets, isSingle: names.length === 1 && targets.length === 1 };
}

interface Named {
  readonly type: Offered;
  readonly names: readonly string[];
}

function readArguments(offered: readonly Offered[], args: readonly string[]): readonly Named[] {
  if (args.some((arg) => arg.includes("/"))) return args.map((arg) => readPair(offered, arg, args));
  const [words = "", ...names] = args;
  const types = words.split(",").flatMap((word) => typesOf(offered, word));
  if (types.length === 0) return [{ type: jobsOf(offered), names: args }];
  for (const word of words.split(",")) {
    if (typesOf(offered, word).length === 0) throw unknownType(word);
  }
  return types.map((type) => ({ type, names }));
}

/** "pod/hello", or in the same list a bare "hello" for a Job. */
function readPair(offered: readonly Offered[], arg: string, args: readonly string[]): Named {
  const [word = "", name = "", ...rest] = arg.split("/");
  if (!arg.includes("/")) {
    if (args[0] === arg && findOffered(offered, arg)) throw typeTwice();
    return { type: jobsOf(offered), names: [arg] };
  }
  if (rest.length > 0 || word === "" || name === "") {
    throw new CommandFailure(`error: ${JSON.stringify(arg)} is no TYPE/NAME`);
  }
  const type = findOffered(offered, word);
  if (type === undefined) throw unknownType(word);
  return { type, names: [name] };
}

function typesOf(offered: readonly Offered[], word: string): readonly Offered[] {
  const type = findOffered(offered, word);
  return type ? [type] : findCategory(offered, word);
}

function jobsOf(offered: readonly Offered[]): Offered {
  const jobs = findOffered(offered, "jobs.batch");
  if (jobs === undefined) throw unknownType("jobs");
  return jobs;
}

function unknownType(word: string): CommandFailure {
  return new CommandFailure(
    `error: the server doesn't have a resource type ${JSON.stringify(word)}`,
  );
}

function typeTwice(): CommandFailure {
  return new CommandFailure(
    "error: there is no need to specify a resource type as a separate argument when passing " +
      "arguments in resource/name form (e.g. 'tally get resource/<resource_name>' instead of " +
      "'tally get resource resource/<resource_name>'",
  );
}
