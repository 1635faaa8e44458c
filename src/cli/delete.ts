/** "tally delete": deletes objects, and waits until they are gone. */

import type { KubeObject } from "../api/object.ts";
import { UsageError } from "../base/usage-error.ts";
import { isNotFound } from "../client/find.ts";
import { objectPath } from "../client/http-requests.ts";
import { CommandFailure } from "../command/command-failure.ts";
import { readDurationMs } from "../command/duration-flag.ts";
import { failureOf } from "../command/error-text.ts";
import type { Machine } from "../command/machine.ts";
import { areBareNames, findStoredRun, getRun } from "../runs/host/open-host.ts";
import { awaitChange } from "./cluster/await-change.ts";
import { type Cluster, type ClusterFlags, openCluster } from "./cluster/cluster.ts";
import { formatKindName } from "./cluster/discovery.ts";
import { type NamedTarget, namedObjects, type SelectionFlags } from "./cluster/named-objects.ts";

export interface DeleteFlags extends ClusterFlags, SelectionFlags {
  readonly filename?: readonly string[];
  readonly cascade: string;
  readonly gracePeriod: string;
  readonly now?: boolean;
  readonly force?: boolean;
  /** "false" and false say no. */
  readonly wait: string | boolean;
  readonly timeout: string;
  readonly ignoreNotFound?: boolean;
  readonly output?: string;
}

export async function deleteObjects(
  args: readonly string[],
  flags: DeleteFlags,
  machine: Machine,
): Promise<void> {
  const settings = readSettings(flags);
  if (settings.propagationPolicy === "Background" && (await deleteRuns(args, flags, machine)))
    return;
  const cluster = await openCluster(flags, machine);
  try {
    if (settings.graceSeconds === 0) machine.writeError(IMMEDIATE);
    const targets = await namedObjects(cluster, args, flags, machine);
    if (targets.length === 0) machine.writeOut("No resources found\n");
    const errors: unknown[] = [];
    const deleted: Deleted[] = [];
    for (const target of targets) {
      try {
        deleted.push(await deleteOne(cluster, target, settings));
        machine.writeOut(`${sentence(target, settings)}\n`);
      } catch (error) {
        if (!(flags.ignoreNotFound && isNotFound(error))) errors.push(error);
      }
    }
    if (settings.waits) errors.push(...(await waitUntilGone(cluster, deleted, settings)));
    const failure = failureOf(errors);
    if (failure) throw failure;
  } finally {
    cluster.close();
  }
}

/** Whether all names were those of runs in a data directory: they are gone, with their logs. */
async function deleteRuns(
  names: readonly string[],
  flags: DeleteFlags,
  machine: Machine,
): Promise<boolean> {
  if (!areBareNames(names, flags)) return false;
  const isExpected = names.length === 1 && !flags.ignoreNotFound;
  const found = await findStoredRun(names[0] ?? "", flags, machine, { isExpected });
  if (!found) return false;
  const { host } = found;
  try {
    const { removeRuns } = await import("../runs/commands/remove-runs.ts");
    const jobs = await Promise.all(names.map((name) => getRun(host, name)));
    for (const { name, logs } of await removeRuns(host, { jobs }, machine)) {
      const count = `${logs.files} log ${logs.files === 1 ? "file" : "files"}`;
      machine.writeOut(flags.output === "name" ? `${name}\n` : `${name} deleted, with ${count}\n`);
    }
    return true;
  } finally {
    await host.close();
  }
}

interface Settings {
  readonly propagationPolicy: "Background" | "Foreground" | "Orphan";
  readonly graceSeconds: number | undefined;
  readonly isForced: boolean;
  readonly waits: boolean;
  readonly timeoutMs: number;
  readonly printsNames: boolean;
}

const POLICIES = {
  background: "Background",
  foreground: "Foreground",
  orphan: "Orphan",
} as const;

const A_WEEK_MS = 7 * 24 * 3600 * 1000;

const IMMEDIATE =
  "Warning: Immediate deletion does not wait for confirmation that the running resource has been " +
  "terminated. The resource may continue to run on the cluster indefinitely.\n";

function readSettings(flags: DeleteFlags): Settings {
  const { cascade, force: isForced = false, wait, timeout, output } = flags;
  if (!Object.hasOwn(POLICIES, cascade)) {
    throw new UsageError(
      `--cascade must be background, foreground or orphan, not ${JSON.stringify(cascade)}`,
    );
  }
  if (output !== undefined && output !== "" && output !== "name") {
    throw new UsageError(`--output must be name, not ${JSON.stringify(output)}`);
  }
  const graceSeconds = readGrace(flags);
  return {
    propagationPolicy: POLICIES[cascade as keyof typeof POLICIES],
    graceSeconds,
    isForced: graceSeconds === 0,
    waits: !isForced && wait !== false && wait !== "false",
    timeoutMs: readDurationMs("--timeout", timeout) || A_WEEK_MS,
    printsNames: output === "name",
  };
}

/** Without --force there is always a second, so that whoever runs a pod can confirm its end. */
function readGrace({ gracePeriod, now, force }: DeleteFlags): number | undefined {
  const given = /^-?\d{1,9}$/.test(gracePeriod) ? Number(gracePeriod) : Number.NaN;
  if (Number.isNaN(given)) {
    throw new UsageError(
      `--grace-period must be a number of seconds, not ${JSON.stringify(gracePeriod)}`,
    );
  }
  if (now) {
    if (given >= 0) throw new UsageError("--now and --grace-period exclude each other");
    return 1;
  }
  if (force) {
    if (given > 0) throw new UsageError("--force and a --grace-period above 0 exclude each other");
    return 0;
  }
  if (given < 0) return undefined;
  return Math.max(given, 1);
}

interface Deleted {
  readonly target: NamedTarget;
  readonly uid: string | undefined;
}

async function deleteOne(
  cluster: Cluster,
  target: NamedTarget,
  { propagationPolicy, graceSeconds: gracePeriodSeconds }: Settings,
): Promise<Deleted> {
  const { type, name, namespace } = target;
  const path = objectPath(type, { name, ...(namespace === undefined ? {} : { namespace }) });
  const options = {
    kind: "DeleteOptions",
    apiVersion: "v1",
    propagationPolicy,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
  const body = { contentType: "application/json", text: JSON.stringify(options) };
  const answer = await cluster.ask<DeleteAnswer>({ method: "DELETE", path, body });
  return { target, uid: answer.details?.uid ?? answer.metadata?.uid };
}

/** The object while it is still there, a Status once it is gone. */
interface DeleteAnswer {
  readonly details?: { readonly uid?: string };
  readonly metadata?: { readonly uid?: string };
}

function sentence(target: NamedTarget, { isForced, printsNames }: Settings): string {
  const { type, name, namespace } = target;
  const kindName = formatKindName(type, name);
  if (printsNames) return kindName;
  const kind = kindName.slice(0, kindName.indexOf("/"));
  const from = namespace === undefined ? "" : ` from ${namespace} namespace`;
  return `${kind} "${name}" ${isForced ? "force deleted" : "deleted"}${from}`;
}

/** An object of the same name that came after it does not keep anybody waiting. */
async function waitUntilGone(
  cluster: Cluster,
  deleted: readonly Deleted[],
  { timeoutMs }: Settings,
): Promise<readonly unknown[]> {
  const outcomes = await Promise.allSettled(
    deleted.map(async ({ target, uid }) => {
      const isGone = (object: KubeObject | undefined) =>
        object === undefined || (uid !== undefined && object.metadata.uid !== uid);
      const outcome = await awaitChange(cluster, target, isGone, { timeoutMs });
      if (outcome !== "timed out") return;
      const { type, name } = target;
      throw new CommandFailure(
        `error: timed out waiting for the condition on ${type.resource}/${name}`,
      );
    }),
  );
  return outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
}
