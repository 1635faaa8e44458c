/** "tally run": a command over a list, or the Job of a manifest, here and now. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { UNKNOWN_EXIT } from "../../api/exit-unknown.ts";
import { PODS_AHEAD } from "../../api/pods-ahead.ts";
import { BACKOFF_ORDER, SURPLUS_PODS } from "../../api/work-list/names.ts";
import { itemCount } from "../../api/work-list/work-list.ts";
import { systemRandom } from "../../base/random.ts";
import { UsageError } from "../../base/usage-error.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import type { AskedRun, RunCommandFlags } from "../compose/asked-run.ts";
import { attachEnvironment } from "../compose/attach-environment.ts";
import { composeRun } from "../compose/compose-run.ts";
import { type RunWords, readRun } from "../compose/run-flags.ts";
import { conductRun, type PreparedRun, type RunWishes } from "../follow/conduct-run.ts";
import { localPlace } from "../host/local-place.ts";
import { isOnCluster } from "../host/on-cluster.ts";
import type { ReachedEngine } from "../host/reached-engine.ts";
import type { RunPlace } from "../host/run-place.ts";
import { openReporter, type ReportFlags } from "../show/run-report.ts";
import { BROKEN_OFF, INTERRUPTED } from "../show/summary.ts";
import { createRun, NameTaken, replaceRun } from "../submit/prepare.ts";
import { itemNames } from "../submit/stored-items.ts";
import { takeUpRun } from "../submit/take-up.ts";
import { takenText } from "./name-taken.ts";

/** What `tally run` asks of every Job it makes, and cannot be asked for by flags. */
const RUN_ANNOTATIONS = {
  [SURPLUS_PODS]: "finish",
  [PODS_AHEAD]: "64",
  [BACKOFF_ORDER]: "overtake",
};
/** Pods made ahead would still begin after the failure that ends the run. */
const NONE_AHEAD = { [PODS_AHEAD]: "0" };
const RUN_POD_ANNOTATIONS = { "tallyjob.io/split-output": "true", [UNKNOWN_EXIT]: "rerun" };

export async function run(
  words: RunWords,
  flags: RunCommandFlags,
  machine: Machine,
): Promise<void> {
  if (isOnCluster(flags)) return runThere(words, flags, machine);
  if (flags.managedBy !== undefined) {
    throw new UsageError("--managed-by is for clusters: name one by --context or --kubeconfig");
  }
  const asked = await readAsked(words, flags, machine);
  if (flags.dryRun !== undefined) {
    const { printRun } = await import("./run-dry.ts");
    return printRun(asked.request, flags, machine);
  }
  const run = withEnvironment(asked, machine);
  for (const text of run.said) machine.writeError(`tally: ${text}\n`);
  if (flags.asTemplate || flags.runAt !== undefined) {
    const { keepAsked } = await import("./run-kept.ts");
    return keepAsked(run, flags, machine, (prepareRun) => conduct(prepareRun, flags, machine));
  }
  const said = (text: string) => machine.writeError(`tally: ${text}\n`);
  await conduct((engine) => prepare(engine, run, flags, said), flags, machine);
}

/** What it was typed with belongs to the run, whichever process hosts the engine later. */
function withEnvironment(asked: AskedRun, machine: Machine): AskedRun {
  const suffix = asked.request?.suffix ?? systemRandom.suffix();
  return attachEnvironment(asked, machine.captureEnvironment(), suffix);
}

/** On a cluster. */
async function runThere(words: RunWords, flags: RunCommandFlags, machine: Machine): Promise<void> {
  const { checkClusterFlags, composeForCluster, managerText, prepareOnCluster, USUAL_PARALLELISM } =
    await import("../cluster/run-on-cluster.ts");
  checkClusterFlags(flags);
  const say = (text: string) => machine.writeError(`tally: ${text}\n`);
  const there = { ...machine, processors: USUAL_PARALLELISM };
  const read = (namespace: string) => readAsked(words, { ...flags, namespace }, there);
  const composed = await composeForCluster(read, flags, machine);
  for (const text of composed.asked.said) say(text);
  if (!flags.quiet) say(managerText(composed.manager));
  await conduct((engine) => prepareOnCluster(engine, composed, flags, say), flags, machine);
}

/** Carries a run to its end in the foreground, with its reports and its exit code. */
export async function conduct(
  prepareRun: (engine: ReachedEngine) => Promise<PreparedRun>,
  flags: ReportFlags,
  machine: Machine,
): Promise<void> {
  const place = await openPlace(flags, machine);
  const { exitCode } = await conductRun({
    reach: place.reach,
    prepare: prepareRun,
    reporterOf: ({ job }, book, wishes) =>
      openReporter({ job, book, wishes, place }, flags, machine),
    listen: (wishes) => listen(wishes, machine),
    nowMs: () => performance.now(),
    beganMs: performance.timeOrigin,
    abandon: () => machine.exit(INTERRUPTED),
  })
    .catch((error: unknown) => {
      throw isOurs(error) ? error : brokenOff(error);
    })
    .finally(() => place.close());
  if (exitCode !== 0) throw new CommandFailure("", exitCode);
}

/** What speaks to clusters is loaded only where one is meant. */
async function openPlace(flags: ReportFlags, machine: Machine): Promise<RunPlace> {
  if (!isOnCluster(flags)) return localPlace(flags, machine);
  const { clusterPlace } = await import("../cluster/cluster-place.ts");
  return clusterPlace(flags, machine);
}

function isOurs(error: unknown): boolean {
  return error instanceof UsageError || error instanceof CommandFailure;
}

function brokenOff(error: unknown): CommandFailure {
  const text = error instanceof Error ? error.message : String(error);
  return new CommandFailure(`tally run: ${text}`, BROKEN_OFF);
}

function listen(wishes: RunWishes, machine: Machine): () => void {
  machine.onReaderGone(() => wishes.terminate("unread"));
  return machine.onSignal((signal) => {
    if (signal === "SIGINT") wishes.interrupt();
    else wishes.terminate();
  });
}

async function readAsked(
  words: RunWords,
  flags: RunCommandFlags,
  machine: Machine,
): Promise<AskedRun> {
  if (flags.filename !== undefined) {
    const { readJobManifest } = await import("../compose/run-manifest.ts");
    return readJobManifest(words, flags, machine);
  }
  const { request, said } = await readRun(words, flags, {
    workingDirectory: machine.workingDirectory,
    environment: machine.environment,
    cores: machine.processors,
    random: systemRandom,
    readBytes: (file) =>
      file === "-" ? machine.readInputBytes() : readFile(resolve(machine.workingDirectory, file)),
  });
  if (request.list && itemCount(request.list) === 0) {
    // As with other programs: a search that finds nothing is no mistake.
    throw new CommandFailure("tally run: the list is empty: there is nothing to do", 0);
  }
  if (flags.resume && words.name === undefined) {
    throw new UsageError("--resume needs the NAME of the run to go on with");
  }
  const annotations = {
    ...RUN_ANNOTATIONS,
    ...(request.failure?.halt === "soon" ? NONE_AHEAD : {}),
  };
  const whole = { ...request, annotations, podAnnotations: RUN_POD_ANNOTATIONS };
  const composed = composeRun(whole);
  return { ...composed, said: [...said, ...composed.said], request: whole };
}

async function prepare(
  engine: ReachedEngine,
  asked: AskedRun,
  flags: RunCommandFlags,
  say: (text: string) => void,
): Promise<PreparedRun> {
  const itemAt = itemNames({ list: asked.list });
  try {
    return { job: await createRun(engine, asked), itemAt };
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    if (flags.resume) {
      const { job, former, said } = await takeUpRun(engine, asked, error.job);
      for (const text of said) say(text);
      const isSame = former.metadata.uid === job.metadata.uid;
      return { job, itemAt, ...(isSame ? { former } : {}) };
    }
    if (flags.replace && error.isFinished) {
      return { job: await replaceRun(engine, asked, error.job), itemAt };
    }
    throw new UsageError(takenText(error, flags));
  }
}
