/**
 * Running items of a cluster's run once more. A controller of Tally's goes on under the name of the
 * run; for Kubernetes' own, which leaves a finished Job as it is, there is a further Job.
 */
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import { firstExcept, firstMissing, type IndexSet, parseIndexes } from "../../api/index-set.ts";
import { isFinished } from "../../api/job-finished.ts";
import { configMaps, jobs } from "../../api/resources.ts";
import { UsageError } from "../../base/usage-error.ts";
import { findObject } from "../../client/find.ts";
import { ledgerName } from "../../ledger/job-ledger.ts";
import { composeItemRetry } from "../../worklist/compose-item-retry.ts";
import { WORK_LIST } from "../../worklist/names.ts";
import type { ReachedEngine } from "../reached-engine.ts";
import { type RetryPlan, retryRun } from "../retry.ts";
import { giveTo } from "../submit.ts";
import { BUILT_IN_MANAGER } from "./find-manager.ts";
import { composeWhole, type RunChain } from "./run-chain.ts";

export async function retryOnCluster(
  engine: ReachedEngine,
  chain: RunChain,
  plan: RetryPlan,
): Promise<RunChain> {
  const { client } = engine;
  const { first, retries } = chain;
  if (isManagedByTally(first)) {
    return { first: await retryRun(engine, first, plan), retries: [] };
  }
  const whole = composeWhole(chain);
  const { name } = whole.metadata;
  if (!isFinished(whole)) {
    throw new UsageError(
      `the run ${name} is not finished: without tally controller its items are run again then`,
    );
  }
  const number = retries.length + 1;
  const indexes = wantedIndexes(whole, plan.wanted);
  const job = await client.create(jobs, composeItemRetry(first, { indexes, number }));
  return { first, retries: [...retries, job] };
}

/** A Job that names its list, or another manager, is of one that knows what was done before. */
function isManagedByTally({ metadata, spec }: Job): boolean {
  const { managedBy = BUILT_IN_MANAGER } = spec;
  return managedBy !== BUILT_IN_MANAGER || metadata.annotations?.[WORK_LIST] !== undefined;
}

/** What was never run because the run ended early is run, too. */
function wantedIndexes({ spec, status }: Job, wanted: IndexSet): readonly number[] {
  const { completions = 0 } = spec;
  const settled = [status.completedIndexes, status.failedIndexes].map((text) =>
    parseIndexes(text ?? "", completions),
  );
  const open = firstMissing(settled, completions, completions);
  const all = new Set([...firstExcept(wanted, [], wanted.size), ...open]);
  return [...all].sort((one, other) => one - other);
}

/**
 * Replaces the Job of a run. The ledger is a ConfigMap of the Job, and would go with it: it belongs
 * to nobody meanwhile. (A retry hands over everything that belongs to the Job anyway.)
 */
export async function keepingLedger(
  { client }: ReachedEngine,
  job: Job,
  replace: () => Promise<Job>,
): Promise<Job> {
  const { namespace = "", name = "" } = job.metadata;
  const ledger = await findObject(client, configMaps, { namespace, name: ledgerName(name) });
  const object = ledger && { ...ledger, kind: "ConfigMap" };
  if (object) await giveTo(client, object, undefined);
  const next = await replace();
  if (object) await unlessGone(giveTo(client, object, next));
  return next;
}

async function unlessGone(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "NotFound")) throw error;
  }
}
