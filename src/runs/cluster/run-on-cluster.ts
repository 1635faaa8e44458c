/** "tally run --context": the same run, on a cluster. */
import type { Job } from "../../api/generated/batch.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Machine } from "../../command/machine.ts";
import { takenText } from "../commands/name-taken.ts";
import type { AskedRun, RunCommandFlags } from "../compose/asked-run.ts";
import {
  asRun,
  type ClusterRun,
  composeClusterRun,
  type RunManager,
} from "../compose/compose-cluster-run.ts";
import type { RunRequest } from "../compose/run-request.ts";
import type { PreparedRun } from "../follow/conduct-run.ts";
import type { ReachedEngine } from "../host/reached-engine.ts";
import { NameTaken } from "../submit/prepare.ts";
import { itemNames } from "../submit/stored-items.ts";
import { takeUpRun } from "../submit/take-up.ts";
import { findCluster, openCluster } from "./cluster-access.ts";
import { BUILT_IN_MANAGER, findManager } from "./find-manager.ts";
import { resumeScripted, startRun, viewRun, viewStored } from "./start-run.ts";

export interface ClusterAsked {
  readonly asked: ClusterRun;
  readonly manager: RunManager;
}

/** Throws a UsageError for a flag that means nothing there. */
export function checkClusterFlags(flags: RunCommandFlags): void {
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

/** At once, unless said otherwise: the cores of this machine say nothing of a cluster. */
export const USUAL_PARALLELISM = 10;

/** The run as the cluster can take it: who looks after it is asked before anything is created. */
export async function composeForCluster(
  read: (namespace: string) => Promise<AskedRun>,
  flags: RunCommandFlags,
  machine: Machine,
): Promise<ClusterAsked> {
  const cluster = await findCluster(flags, machine);
  const { namespace } = cluster;
  const asked = await read(namespace);
  const engine = await openCluster(cluster);
  try {
    const manager = await findManager({
      ...engine,
      namespace,
      nowMs: Date.now(),
      ...askedManager(asked, flags),
    });
    return { manager, asked: composeAsked(asked, manager) };
  } finally {
    await engine.close();
  }
}

/** A manifest says itself whom it is for. */
function askedManager({ request, job }: AskedRun, { managedBy }: RunCommandFlags) {
  const ofManifest = request ? undefined : (job.spec.managedBy ?? BUILT_IN_MANAGER);
  const asked = managedBy ?? ofManifest;
  return asked === undefined ? {} : { asked };
}

function composeAsked(read: AskedRun, manager: RunManager): ClusterRun {
  const { request, job, before = [], support } = read;
  if (request) return composeClusterRun(onCluster(request), manager);
  return { job: asRun(job, manager), before, support, said: [] };
}

function onCluster({ annotations: _own, podAnnotations: _theirs, ...request }: RunRequest) {
  return request;
}

/** For people: who looks after the run. */
export function managerText(manager: RunManager): string {
  switch (manager.kind) {
    case "server":
      return "a Tally server looks after it";
    case "controller":
      return `tally controller (${manager.name}) looks after it`;
    case "kubernetes":
      return "Kubernetes' own controller looks after it, with the list in a script";
  }
}

export async function prepareOnCluster(
  engine: ReachedEngine,
  { asked, manager }: ClusterAsked,
  flags: RunCommandFlags,
  say: (text: string) => void,
): Promise<PreparedRun> {
  const itemAt = itemNames({ list: asked.list });
  const begin = async () => viewRun({ first: await startRun(engine, asked), retries: [] }, itemAt);
  try {
    return await begin();
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    if (flags.resume) return resumeOnCluster(engine, { asked, manager }, error.job, say);
    if (!flags.replace || !error.isFinished) throw new UsageError(takenText(error, flags));
    const first = await startRun(engine, asked, error.job);
    return viewRun({ first, retries: [] }, itemAt);
  }
}

async function resumeOnCluster(
  engine: ReachedEngine,
  { asked, manager }: ClusterAsked,
  former: Job,
  say: (text: string) => void,
): Promise<PreparedRun> {
  if (manager.kind === "kubernetes") return resumeScripted(engine, asked, former);
  const { job: first, said } = await takeUpRun(engine, asked, former);
  for (const text of said) say(text);
  return viewStored(engine, { first, retries: [] });
}
