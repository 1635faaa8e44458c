/**
 * Waits for runs to end, by reading the files of their data directory again and again: the engine
 * may move from one process to another meanwhile.
 */
import type { Job } from "../../api/generated/batch.ts";
import { finishOf } from "../../api/job-conditions.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { areBareNames, findStoredRun, type SelectionFlags } from "../host/open-host.ts";
import { type HostFlags, isOnCluster, type RunHost } from "../host/run-host.ts";

/** The run has ended, and it failed. */
const FAILED_EXIT_CODE = 3;

const LOOK_MS = 100;
/** Each look at a cluster is a request. */
const LOOK_AT_CLUSTER_MS = 1_000;
/** When the engine moves to another process, there is a moment without an engine. */
const PATIENCE_MS = 2_000;

/** The exit code, once all runs have ended; undefined if the names are not those of runs. */
export async function waitForRuns(
  names: readonly string[],
  flags: HostFlags & SelectionFlags,
  machine: Machine,
  timeoutMs: number,
): Promise<number | undefined> {
  if (!areBareNames(names, flags)) return undefined;
  const [first = ""] = names;
  const found = isOnCluster(flags)
    ? await findOnCluster(first, flags, machine)
    : await findStoredRun(first, flags, machine, { isExpected: names.length === 1 });
  if (!found) return undefined;
  const { host } = found;
  try {
    const untilMs = performance.now() + timeoutMs;
    let hasFailed = false;
    for (const name of names) {
      const finish = await finishOfRun(host, name, untilMs);
      machine.writeOut(`${name} ${finish === "Complete" ? "succeeded" : "failed"}\n`);
      if (finish !== "Complete") hasFailed = true;
    }
    return hasFailed ? FAILED_EXIT_CODE : 0;
  } finally {
    await host.close();
  }
}

async function findOnCluster(name: string, flags: HostFlags, machine: Machine) {
  const { findClusterRun } = await import("../cluster/cluster-host.ts");
  return findClusterRun(name, flags, machine);
}

async function finishOfRun(host: RunHost, name: string, untilMs: number): Promise<string> {
  let seenLiveMs = performance.now();
  for (;;) {
    const job: Job | undefined = await host.findRun(name);
    if (!job) throw new CommandFailure(`error: there is no run ${JSON.stringify(name)}`);
    const finish = finishOf(job);
    if (finish) return finish.type;
    const nowMs = performance.now();
    if (nowMs >= untilMs) throw new CommandFailure(`error: timed out waiting for ${name}`);
    if (await host.isLive()) seenLiveMs = nowMs;
    else if (nowMs - seenLiveMs > PATIENCE_MS) {
      throw new CommandFailure(
        `error: ${name} is stopped: nothing carries it out (go on with: tally resume ${name})`,
      );
    }
    const lookMs = host.dataDir === undefined ? LOOK_AT_CLUSTER_MS : LOOK_MS;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
