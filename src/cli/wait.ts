/** "tally wait": returns when objects are as they should be. What that is, is in wait-for.ts. */
import { notFound } from "../api/errors.ts";
import type { KubeObject } from "../api/object.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { CommandFailure } from "../command/command-failure.ts";
import { readDurationMs } from "../command/duration-flag.ts";
import { failureOf } from "../command/error-text.ts";
import type { Machine } from "../command/machine.ts";
import { waitForRuns } from "../runs/commands/wait-for-runs.ts";
import { awaitChange } from "./cluster/await-change.ts";
import { type Cluster, type ClusterFlags, openCluster } from "./cluster/cluster.ts";
import { formatKindName } from "./cluster/discovery.ts";
import { type NamedTarget, namedObjects, type SelectionFlags } from "./cluster/named-objects.ts";
import { type ObjectPrinter, objectPrinter } from "./output/object-printer.ts";
import { isJobFailed, parseFor, type WaitFor } from "./wait-for.ts";

export interface WaitFlags extends ClusterFlags, SelectionFlags {
  readonly filename?: readonly string[];
  readonly for?: string;
  readonly timeout?: string;
  readonly output?: string;
}

/** Of "--for finished": what was waited for has come, and it is a failure. */
const FAILED_EXIT_CODE = 3;

const A_WEEK_MS = 7 * 24 * 3600 * 1000;

export async function wait(
  args: readonly string[],
  flags: WaitFlags,
  machine: Machine,
  clock: Clock = systemClock,
): Promise<number> {
  const wanted = parseFor(flags.for ?? "finished");
  const { timeout = flags.for === undefined ? "-1s" : "30s" } = flags;
  const given = readDurationMs("--timeout", timeout);
  const timeoutMs = given < 0 ? A_WEEK_MS : given;
  if (wanted.kind === "finished") {
    const exitCode = await waitForRuns(args, flags, machine, timeoutMs);
    if (exitCode !== undefined) return exitCode;
  }
  const printer = objectPrinter(flags.output);
  const cluster = await openCluster(flags, machine);
  try {
    const targets = await namedObjects(cluster, args, flags, machine);
    if (targets.length === 0 && wanted.kind === "delete") return 0;
    if (targets.length === 0) throw new CommandFailure("error: no matching resources found");
    const deadlineMs = clock.monotonicMs() + timeoutMs;
    const errors: unknown[] = [];
    let hasFailed = false;
    for (const target of targets) {
      try {
        const leftMs = Math.max(deadlineMs - clock.monotonicMs(), 0);
        const time = { leftMs, looksOnce: timeoutMs === 0, clock };
        const { object, wasThere } = await waitForOne(cluster, target, wanted, time);
        if (wasThere) machine.writeOut(met(target, object, wanted, printer));
        if (wanted.kind === "finished" && isJobFailed(object)) hasFailed = true;
      } catch (error) {
        errors.push(error);
      }
    }
    const failure = failureOf(errors);
    if (failure) throw failure;
    return hasFailed ? FAILED_EXIT_CODE : 0;
  } finally {
    cluster.close();
  }
}

interface WaitTime {
  readonly leftMs: number;
  readonly looksOnce: boolean;
  readonly clock: Clock;
}

async function waitForOne(
  cluster: Cluster,
  target: NamedTarget,
  wanted: WaitFor,
  { leftMs, looksOnce, clock }: WaitTime,
): Promise<{ readonly object: KubeObject | undefined; readonly wasThere: boolean }> {
  const { type, name } = target;
  let wasThere = false;
  const isWanted = (object: KubeObject | undefined): boolean => {
    // One that is not there will never be as wanted, unless that is what is waited for.
    if (object === undefined && !wasThere && !wanted.takesAbsent) throw notFound(type, name);
    wasThere ||= object !== undefined;
    return wanted.isMet(object);
  };
  const outcome = await awaitChange(cluster, target, isWanted, { timeoutMs: leftMs, clock });
  if (outcome !== "timed out") return { object: outcome.object, wasThere };
  const problem = looksOnce ? "condition not met for" : "timed out waiting for the condition on";
  throw new CommandFailure(`error: ${problem} ${type.resource}/${name}`);
}

function met(
  { type, name, object: before }: NamedTarget,
  object: KubeObject | undefined,
  wanted: WaitFor,
  printer: ObjectPrinter | undefined,
): string {
  const last = object ?? before;
  if (printer && last) return printer.one({ type, object: last });
  const end = wanted.kind === "finished" && isJobFailed(object) ? "failed" : "condition met";
  return `${formatKindName(type, name)} ${end}\n`;
}
