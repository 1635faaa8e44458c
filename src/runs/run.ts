/**
 * "tally run": runs a command over a list, or the Job of a manifest, and returns the exit code.
 *
 *     read -> compose -> open the host -> create the Job -> follow it -> report -> exit code
 *
 * Reading order: this file; list/ (input to items); compose/ (request to Job); host/ (where runs
 * live); submit/ (create, continue, retry and delete a run); follow/ (what happens to its items);
 * show/ (screen, lines, JSON, status and report); cluster/ (the same on any Kubernetes); commands/
 * (the other commands about runs, and the flags of all of them).
 */
import { systemRandom } from "../base/random.ts";
import { UsageError } from "../base/usage-error.ts";
import type { Machine } from "../command/machine.ts";
import { attachEnvironment } from "./compose/attach-environment.ts";
import { readRequest, reportEmptyList } from "./compose/read-request.ts";
import type { RequestedRun } from "./compose/requested-run.ts";
import type { RunCommandFlags, RunWords } from "./compose/run-flags.ts";
import type { CreatedRun } from "./follow/follow-run.ts";
import { runInForeground } from "./follow/foreground.ts";
import { openToRun } from "./host/open-host.ts";
import { type EngineHost, isOnCluster } from "./host/run-host.ts";
import { itemNames } from "./list/stored-items.ts";
import { continueRun } from "./submit/continue-run.ts";
import { createRun, NameTaken, replaceRun, takenText } from "./submit/create-run.ts";

export async function run(
  words: RunWords,
  flags: RunCommandFlags,
  machine: Machine,
): Promise<number> {
  if (isOnCluster(flags)) {
    const { runOnCluster } = await import("./cluster/run-on-cluster.ts");
    return runOnCluster(words, flags, machine);
  }
  if (flags.managedBy !== undefined) {
    throw new UsageError("--managed-by is for clusters: name one by --context or --kubeconfig");
  }
  const requested = await readRequest(words, flags, machine);
  if (!requested) return reportEmptyList(machine);
  if (flags.dryRun !== undefined) {
    const { printManifests } = await import("./commands/dry-run.ts");
    return printManifests(requested.request, flags, machine);
  }
  const composed = withEnvironment(requested, machine);
  const print = (text: string) => machine.writeError(`tally: ${text}\n`);
  for (const text of composed.notices) print(text);
  if (flags.asTemplate || flags.runAt !== undefined) {
    const { keepForLater } = await import("./commands/keep-for-later.ts");
    return keepForLater(composed, flags, machine);
  }
  return runInForeground(
    () => openToRun(flags, machine),
    (host) => createOrContinue(host, composed, flags, print),
    flags,
    machine,
  );
}

/** The environment belongs to the run: another process may host the engine later. */
function withEnvironment(run: RequestedRun, machine: Machine): RequestedRun {
  const suffix = run.request?.suffix ?? systemRandom.suffix();
  return attachEnvironment(run, machine.captureEnvironment(), suffix);
}

async function createOrContinue(
  host: EngineHost,
  run: RequestedRun,
  flags: RunCommandFlags,
  print: (text: string) => void,
): Promise<CreatedRun> {
  const itemAt = itemNames(run.list);
  try {
    return { job: await createRun(host, run), itemAt };
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    if (flags.resume) {
      const { job, former, notices } = await continueRun(host, run, error.job);
      for (const text of notices) print(text);
      const isSame = former.metadata.uid === job.metadata.uid;
      return { job, itemAt, ...(isSame ? { former } : {}) };
    }
    if (flags.replace && error.isFinished) {
      return { job: await replaceRun(host, run, error.job), itemAt };
    }
    throw new UsageError(takenText(error, flags));
  }
}
