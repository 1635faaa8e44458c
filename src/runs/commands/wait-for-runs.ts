/**
 * Waiting for runs to end, by looking at what is on disk: it does not matter which process carries
 * them out, nor that another one may take its place meanwhile.
 */
import type { Job } from "../../api/generated/batch.ts";
import { finishOf } from "../../api/job-conditions.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { areBareNames, findRun, type SelectionFlags } from "../host/find-run.ts";
import { isOnCluster, type PlaceFlags } from "../host/on-cluster.ts";
import type { RunsToRead } from "../host/runs-to-read.ts";

/** What was waited for has come, and it is a failure. */
const FAILED_EXIT_CODE = 3;

const LOOK_MS = 100;
/** A request each. */
const LOOK_AT_CLUSTER_MS = 1_000;
/** Between two processes that carry out a run there may be a moment without any. */
const PATIENCE_MS = 2_000;

/** Whether all names were those of runs in a data directory; then they have ended. */
export async function waitForRuns(
  names: readonly string[],
  flags: PlaceFlags & SelectionFlags,
  machine: Machine,
  timeoutMs: number,
): Promise<boolean> {
  if (!areBareNames(names, flags)) return false;
  const [first = ""] = names;
  const found = isOnCluster(flags)
    ? await findOnCluster(first, flags, machine)
    : await findRun(first, flags, machine, { isExpected: names.length === 1 });
  if (!found) return false;
  const { runs } = found;
  try {
    const untilMs = performance.now() + timeoutMs;
    let hasFailed = false;
    for (const name of names) {
      const finish = await finishOfRun(runs, name, untilMs);
      machine.writeOut(`${name} ${finish === "Complete" ? "succeeded" : "failed"}\n`);
      if (finish !== "Complete") hasFailed = true;
    }
    if (hasFailed) throw new CommandFailure("", FAILED_EXIT_CODE);
    return true;
  } finally {
    await runs.close();
  }
}

async function findOnCluster(name: string, flags: PlaceFlags, machine: Machine) {
  const { findClusterRun } = await import("../cluster/find-cluster-run.ts");
  return findClusterRun(name, flags, machine);
}

async function finishOfRun(runs: RunsToRead, name: string, untilMs: number): Promise<string> {
  let seenLiveMs = performance.now();
  for (;;) {
    const job: Job | undefined = await runs.findJob(name);
    if (!job) throw new CommandFailure(`error: there is no run ${JSON.stringify(name)}`);
    const finish = finishOf(job);
    if (finish) return finish.type;
    const nowMs = performance.now();
    if (nowMs >= untilMs) throw new CommandFailure(`error: timed out waiting for ${name}`);
    if (await runs.isLive()) seenLiveMs = nowMs;
    else if (nowMs - seenLiveMs > PATIENCE_MS) {
      throw new CommandFailure(
        `error: ${name} is stopped: nothing carries it out (go on with: tally resume ${name})`,
      );
    }
    const lookMs = runs.dataDir === undefined ? LOOK_AT_CLUSTER_MS : LOOK_MS;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
