/** Starts runs on a cluster, and continues runs that were stopped. */
import type { Name } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import type { Job } from "../../api/generated/batch.ts";
import { isFinished } from "../../api/job-conditions.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { ClusterRun } from "../compose/compose-cluster-run.ts";
import { findScriptObject, SCRIPT } from "../compose/compose-manifests.ts";
import { resumeRun } from "../follow/control.ts";
import type { CreatedRun } from "../follow/follow-run.ts";
import type { EngineHost } from "../host/run-host.ts";
import { createRun, replaceRun } from "../submit/create-run.ts";
import { giveTo } from "../submit/submit-job.ts";
import { readItems, readScript } from "./cluster-items.ts";
import { readChain } from "./read-run.ts";
import { composeWhole, type RunChain } from "./run-chain.ts";
import { runClient } from "./run-client.ts";

type ItemAt = CreatedRun["itemAt"];

/** Objects that were created before the Job, such as a script, belong to it from then on. */
export async function startRun(host: EngineHost, run: ClusterRun, former?: Job): Promise<Job> {
  const job = await (former ? replaceRun(host, run, former) : createRun(host, run));
  for (const object of run.before) await giveTo(host.client, object, job);
  return job;
}

/** Shows the Jobs of a run as one. */
export function viewRun(chain: RunChain, itemAt: ItemAt): CreatedRun {
  const view = { chain, itemAt };
  return { job: composeWhole(chain), itemAt, view: (client) => runClient(client, view) };
}

export async function viewStored({ client }: EngineHost, chain: RunChain): Promise<CreatedRun> {
  const items = await readItems(client, chain.first);
  return viewRun(chain, items.nameAt);
}

/** Continues a run that was stopped; undefined if there is no such run. */
export async function resumeOnCluster(
  host: EngineHost,
  place: Name & { readonly namespace: string },
  parallelism?: number,
): Promise<CreatedRun | undefined> {
  const chain = await readChain(host.client, place);
  if (!chain) return undefined;
  const viewed = await viewStored(host, chain);
  if (isFinished(viewed.job)) return viewed;
  const client = viewed.view?.(host.client) ?? host.client;
  return { ...viewed, job: await resumeRun(client, place, parallelism) };
}

/**
 * Continues a run whose list is in a script. Kubernetes' own controller cannot skip items that
 * another Job has done, so that only a run with the same list and command can continue.
 */
export async function resumeScripted(
  host: EngineHost,
  asked: ClusterRun,
  former: Job,
): Promise<CreatedRun> {
  const { namespace = "", name = "" } = former.metadata;
  const chain = await readChain(host.client, { namespace, name });
  if (chain && isFinished(composeWhole(chain))) {
    throw new UsageError(`the run ${name} is finished; run what failed with: tally retry ${name}`);
  }
  if (!(await isSameRun(host, asked, former))) {
    throw new UsageError(
      `the run ${name} has another list or command: without tally controller only the same one ` +
        "can be gone on with",
    );
  }
  const { parallelism } = asked.job.spec;
  const resumed = await resumeOnCluster(host, { namespace, name }, parallelism);
  if (!resumed) throw new UsageError(`there is no run ${name}`);
  return resumed;
}

async function isSameRun({ client }: EngineHost, asked: ClusterRun, former: Job) {
  const [object] = asked.before as readonly ScriptObject[];
  if (!object || !findScriptObject(former)) return isSameCommand(asked.job, former);
  const script = object.data?.[SCRIPT] ?? object.stringData?.[SCRIPT];
  return (await readScript(client, former)) === script;
}

interface ScriptObject {
  readonly data?: { readonly [key: string]: string };
  readonly stringData?: { readonly [key: string]: string };
}

function isSameCommand(one: Job, other: Job): boolean {
  const words = ({ spec }: Job) => {
    const [container] = spec.template.spec.containers ?? [];
    return [spec.completions ?? 0, ...(container?.command ?? []), ...(container?.args ?? [])];
  };
  return isEqual(words(one), words(other));
}
