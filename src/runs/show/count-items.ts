/** How many items of a run stand how, as far as only the ledger knows. */
import type { Job } from "../../api/generated/batch.ts";
import { wasCutShort } from "../../api/job-conditions.ts";
import type { IndexState } from "../../ledger/index-states.ts";
import type { RunsToRead } from "../host/runs-to-read.ts";
import type { RunState } from "./run-state.ts";

/** A Job that was ended early names only those that were out of retries by then. */
export async function countFailed(runs: RunsToRead, job: Job, state: RunState): Promise<number> {
  const isIndexed = job.spec.completionMode === "Indexed";
  return isIndexed && wasCutShort(job) ? countItems(runs, job, "Failed") : state.failed;
}

export async function countItems(runs: RunsToRead, job: Job, state: IndexState): Promise<number> {
  const place = { namespace: runs.namespace, jobName: job.metadata.name ?? "" };
  let count = 0;
  let from: string | undefined;
  do {
    const page = await runs.ledger.list(place, { state, ...(from === undefined ? {} : { from }) });
    count += page.items.length;
    from = page.next;
  } while (from !== undefined);
  return count;
}
