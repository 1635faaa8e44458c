/** Counts items of a run by their state in the ledger. */
import type { Job } from "../../api/generated/batch.ts";
import { wasCutShort } from "../../api/job-conditions.ts";
import type { IndexState } from "../../ledger/index-states.ts";
import { storyPages } from "../../ledger/story-pages.ts";
import type { RunHost } from "../host/run-host.ts";
import type { RunState } from "./run-state.ts";

/** A Job that was ended early names only the items that had no retries left by then. */
export async function countFailed(host: RunHost, job: Job, state: RunState): Promise<number> {
  const isIndexed = job.spec.completionMode === "Indexed";
  return isIndexed && wasCutShort(job) ? countItems(host, job, "Failed") : state.failed;
}

export async function countItems(host: RunHost, job: Job, state: IndexState): Promise<number> {
  const place = { namespace: host.namespace, jobName: job.metadata.name ?? "" };
  let count = 0;
  for await (const stories of storyPages(host.ledger, place, { state })) count += stories.length;
  return count;
}
