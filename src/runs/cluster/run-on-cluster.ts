/** "tally run --context": the same run, on a cluster. */
import type { Job } from "../../api/generated/batch.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Machine } from "../../command/machine.ts";
import {
  asRun,
  type ClusterRun,
  composeClusterRun,
  type RunManager,
} from "../compose/compose-cluster-run.ts";
import { readRequest, reportEmptyList } from "../compose/read-request.ts";
import type { RequestedRun } from "../compose/requested-run.ts";
import type { RunCommandFlags, RunWords } from "../compose/run-flags.ts";
import type { CreatedRun } from "../follow/follow-run.ts";
import { runInForeground } from "../follow/foreground.ts";
import { itemNames } from "../list/stored-items.ts";
import { continueRun } from "../submit/continue-run.ts";
import { NameTaken, takenText } from "../submit/create-run.ts";
import { type ClusterHost, findCluster, openClusterHost } from "./cluster-host.ts";
import { BUILT_IN_MANAGER, findManager } from "./find-manager.ts";
import { resumeScripted, startRun, viewRun, viewStored } from "./start-run.ts";

/** The default of -j: the cores of this machine say nothing about a cluster. */
const USUAL_PARALLELISM = 10;

export async function runOnCluster(
  words: RunWords,
  flags: RunCommandFlags,
  machine: Machine,
): Promise<number> {
  checkClusterFlags(flags);
  const print = (text: string) => machine.writeError(`tally: ${text}\n`);
  const cluster = await findCluster(flags, machine);
  const { namespace } = cluster;
  const there = { ...machine, processors: USUAL_PARALLELISM };
  const requested = await readRequest(words, { ...flags, namespace }, there);
  if (!requested) return reportEmptyList(machine);
  const host = await openClusterHost(cluster, machine);
  const composed = await composeFor(host, requested, flags).catch(async (error: unknown) => {
    await host.close();
    throw error;
  });
  for (const text of composed.run.notices) print(text);
  if (!flags.quiet) print(managerText(composed.manager));
  return runInForeground(
    async () => host,
    () => createOrContinue(host, composed, flags, print),
    flags,
    machine,
  );
}

function checkClusterFlags(flags: RunCommandFlags): void {
  for (const [name, flag] of LOCAL_FLAGS) {
    if (flags[name] === undefined) continue;
    throw new UsageError(`${flag} is for runs on this machine: it means nothing on a cluster`);
  }
  if (flags.workdir !== undefined && !flags.workdir.startsWith("/")) {
    throw new UsageError("--workdir must be a path of the image, as in /data, on a cluster");
  }
  if ((flags.jobs ?? flags.maxProcs ?? "").endsWith("%")) {
    throw new UsageError(
      "-j must be a number on a cluster: a share would be of this machine's cores",
    );
  }
  if (flags.filename === undefined && flags.image === undefined) {
    throw new UsageError(
      "a run on a cluster needs --image: its pods do not have the programs of this machine; for " +
        "example --image busybox",
    );
  }
}

const LOCAL_FLAGS = [
  ["data", "--data"],
  ["runAt", "--runAt"],
  ["asTemplate", "--asTemplate"],
  ["dryRun", "--dry-run"],
  ["nice", "--nice"],
] as const;

interface ComposedForCluster {
  readonly run: ClusterRun;
  readonly manager: RunManager;
}

/** The Job depends on which controller manages it. */
async function composeFor(
  host: ClusterHost,
  requested: RequestedRun,
  flags: RunCommandFlags,
): Promise<ComposedForCluster> {
  const { client, connection, namespace } = host;
  const asked = askedManager(requested, flags);
  const manager = await findManager({
    client,
    connection,
    namespace,
    nowMs: Date.now(),
    ...(asked === undefined ? {} : { asked }),
  });
  const { request, job, before = [], support } = requested;
  if (!request) return { manager, run: { job: asRun(job, manager), before, support, notices: [] } };
  const { annotations: _ours, podAnnotations: _theirs, ...plain } = request;
  return { manager, run: composeClusterRun(plain, manager) };
}

/** A manifest names its manager itself. */
function askedManager({ request, job }: RequestedRun, { managedBy }: RunCommandFlags) {
  const ofManifest = request ? undefined : (job.spec.managedBy ?? BUILT_IN_MANAGER);
  return managedBy ?? ofManifest;
}

function managerText(manager: RunManager): string {
  switch (manager.kind) {
    case "server":
      return "a Tally server manages it";
    case "controller":
      return `tally controller (${manager.name}) manages it`;
    case "kubernetes":
      return "Kubernetes' own controller manages it, with the list in a script";
  }
}

async function createOrContinue(
  host: ClusterHost,
  { run, manager }: ComposedForCluster,
  flags: RunCommandFlags,
  print: (text: string) => void,
): Promise<CreatedRun> {
  const itemAt = itemNames(run.list);
  const start = async (former?: Job) =>
    viewRun({ first: await startRun(host, run, former), retries: [] }, itemAt);
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    if (flags.resume) {
      if (manager.kind === "kubernetes") return resumeScripted(host, run, error.job);
      const { job: first, notices } = await continueRun(host, run, error.job);
      for (const text of notices) print(text);
      return viewStored(host, { first, retries: [] });
    }
    if (!flags.replace || !error.isFinished) throw new UsageError(takenText(error, flags));
    return start(error.job);
  }
}
