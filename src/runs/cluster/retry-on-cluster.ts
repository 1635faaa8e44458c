/** "tally retry --context": items of a run on a cluster, once more. */

import type { Machine } from "../../command/machine.ts";
import { retriedText } from "../commands/retried-text.ts";
import { conduct } from "../commands/run.ts";
import type { ReachedEngine } from "../host/reached-engine.ts";
import { unknownRun } from "../host/stored.ts";
import type { ReportFlags } from "../show/run-report.ts";
import type { RetryPlan } from "../submit/retry.ts";
import { findCluster, openCluster } from "./cluster-access.ts";
import { readChain } from "./read-run.ts";
import { retryOnCluster } from "./retry-run.ts";
import type { RunChain } from "./run-chain.ts";
import { viewStored } from "./start-run.ts";

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
