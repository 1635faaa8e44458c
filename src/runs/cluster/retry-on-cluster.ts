/**
 * Retries items of a run on a cluster. With a Tally controller the run continues under its name.
 * Kubernetes' own controller does not continue a finished Job: there a further Job runs the items.
 */
import type { Job } from "../../api/generated/batch.ts";
import { firstExcept, firstMissing, type IndexSet, parseIndexes } from "../../api/index-set.ts";
import { isFinished } from "../../api/job-conditions.ts";
import { jobs } from "../../api/resources.ts";
import { WORK_LIST } from "../../api/work-list/names.ts";
import { UsageError } from "../../base/usage-error.ts";
import { composeItemRetry } from "../compose/compose-item-retry.ts";
import { type LedgerHost, type RetryPlan, retryRun } from "../submit/retry-run.ts";
import { BUILT_IN_MANAGER } from "./find-manager.ts";
import { composeWhole, type RunChain } from "./run-chain.ts";

export async function retryOnCluster(
  host: LedgerHost,
  chain: RunChain,
  plan: RetryPlan,
): Promise<RunChain> {
  const { client } = host;
  const { first, retries } = chain;
  if (isManagedByTally(first)) {
    return { first: await retryRun(host, first, plan), retries: [] };
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

/** Such a controller can skip items that are done. */
function isManagedByTally({ metadata, spec }: Job): boolean {
  const { managedBy = BUILT_IN_MANAGER } = spec;
  return managedBy !== BUILT_IN_MANAGER || metadata.annotations?.[WORK_LIST] !== undefined;
}

/** Items that were never run because the run ended early are included. */
function wantedIndexes({ spec, status }: Job, wanted: IndexSet): readonly number[] {
  const { completions = 0 } = spec;
  const settled = [status.completedIndexes, status.failedIndexes].map((text) =>
    parseIndexes(text ?? "", completions),
  );
  const open = firstMissing(settled, completions, completions);
  const all = new Set([...firstExcept(wanted, [], wanted.size), ...open]);
  return [...all].sort((one, other) => one - other);
}
