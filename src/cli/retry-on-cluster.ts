/** "tally retry --context": items of a run on a cluster, once more. */
import { readChain } from "../run/cluster/read-run.ts";
import { retryOnCluster } from "../run/cluster/retry-run.ts";
import type { RunChain } from "../run/cluster/run-chain.ts";
import { viewStored } from "../run/cluster/start-run.ts";
import type { ReachedEngine } from "../run/reached-engine.ts";
import type { RetryPlan } from "../run/retry.ts";
import type { Machine } from "./machine.ts";
import { conduct } from "./run.ts";
import type { ReportFlags } from "./run-report.ts";
import { findCluster, openCluster } from "./runs/cluster-access.ts";
import { retriedText } from "./runs/retried-text.ts";
import { unknownRun } from "./runs/stored.ts";

export interface ClusterRetry {
  readonly name: string;
  readonly namespace: string;
  readonly plan: RetryPlan;
}

export async function retryThere(
  given: ClusterRetry,
  flags: ReportFlags & { readonly detach?: boolean },
  machine: Machine,
): Promise<void> {
  const { name, plan } = given;
  if (flags.detach) {
    const engine = await openCluster(await findCluster(flags, machine));
    try {
      await begin(engine, given);
    } finally {
      await engine.close();
    }
    machine.writeOut(`${retriedText(name, plan.wanted.size)}\n`);
    return;
  }
  await conduct(async (engine) => viewStored(engine, await begin(engine, given)), flags, machine);
}

async function begin(engine: ReachedEngine, given: ClusterRetry): Promise<RunChain> {
  const { name, namespace, plan } = given;
  const chain = await readChain(engine.client, { namespace, name });
  if (!chain) throw unknownRun(name, []);
  return retryOnCluster(engine, chain, plan);
}
