/** Runs of a cluster that are begun, or taken up where they were left. */

import type { Name } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import type { Job } from "../../api/generated/batch.ts";
import { isFinished } from "../../api/job-conditions.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { ClusterRun } from "../compose/compose-cluster-run.ts";
import { findScriptPlace, SCRIPT } from "../compose/compose-manifests.ts";
import type { PreparedRun } from "../follow/conduct-run.ts";
import { resumeRun } from "../follow/control.ts";
import type { ReachedEngine } from "../host/reached-engine.ts";
import { createRun, replaceRun } from "../submit/prepare.ts";
import { giveTo } from "../submit/submit.ts";
import { readItems, readScript } from "./cluster-items.ts";
import { readChain } from "./read-run.ts";
import { composeWhole, type RunChain } from "./run-chain.ts";
import { runClient } from "./run-client.ts";

type ItemAt = PreparedRun["itemAt"];

/** A script is there before its Job, and goes with it from then on. */
export async function startRun(engine: ReachedEngine, run: ClusterRun, former?: Job): Promise<Job> {
  const job = await (former ? replaceRun(engine, run, former) : createRun(engine, run));
  for (const object of run.before) await giveTo(engine.client, object, job);
  return job;
}

/** Goes on with a run, as one Job. */
export function viewRun(chain: RunChain, itemAt: ItemAt): PreparedRun {
  const view = { chain, itemAt };
  return {
    job: composeWhole(chain),
    itemAt,
    view: (engine) => ({ ...engine, client: runClient(engine.client, view) }),
  };
}

export async function viewStored({ client }: ReachedEngine, chain: RunChain): Promise<PreparedRun> {
  const items = await readItems(client, chain.first);
  return viewRun(chain, (index) => items.nameAt(index));
}

/** A run that was stopped goes on, and is viewed. */
export async function resumeStored(
  engine: ReachedEngine,
  place: Name & { readonly namespace: string },
  parallelism?: number,
): Promise<PreparedRun | undefined> {
  const chain = await readChain(engine.client, place);
  if (!chain) return undefined;
  const prepared = await viewStored(engine, chain);
  if (isFinished(prepared.job)) return prepared;
  const { client } = prepared.view?.(engine) ?? engine;
  return { ...prepared, job: await resumeRun(client, place, parallelism) };
}

/** Kubernetes' own controller cannot take over what is done: only the very same run goes on. */
export async function resumeScripted(
  engine: ReachedEngine,
  asked: ClusterRun,
  former: Job,
): Promise<PreparedRun> {
  const { namespace = "", name = "" } = former.metadata;
  const chain = await readChain(engine.client, { namespace, name });
  if (chain && isFinished(composeWhole(chain))) {
    throw new UsageError(`the run ${name} is finished; run what failed with: tally retry ${name}`);
  }
  if (!(await isSameRun(engine, asked, former))) {
    throw new UsageError(
      `the run ${name} has another list or command: without tally controller only the same one ` +
        "can be gone on with",
    );
  }
  const { parallelism } = asked.job.spec;
  const resumed = await resumeStored(engine, { namespace, name }, parallelism);
  if (!resumed) throw new UsageError(`there is no run ${name}`);
  return resumed;
}

async function isSameRun({ client }: ReachedEngine, asked: ClusterRun, former: Job) {
  const [object] = asked.before as readonly ScriptObject[];
  if (!object || !findScriptPlace(former)) return isSameCommand(asked.job, former);
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
