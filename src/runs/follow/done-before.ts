/**
 * The items of an earlier run that ended while no command followed it. Processes outlive the
 * command that started them, and their ends are reported when the next engine starts. The Job
 * itself does not show which of its items ended before this command, and which since.
 */

import { completionIndexOf } from "../../api/completion-index.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { addIndex, firstExcept, type IndexSet, parseIndexes } from "../../api/index-set.ts";
import { podsOfJob } from "../../api/job-labels.ts";
import { jobs, pods } from "../../api/resources.ts";
import { millisecondsOf } from "../../api/time.ts";
import { findObject } from "../../client/find.ts";
import type { EngineHost } from "../host/run-host.ts";

/** Indexes that succeeded before that time and that the status of the found Job does not have. */
export async function doneBefore(
  host: EngineHost,
  { former, job }: { readonly former?: Job; readonly job: Job },
  beganMs: number,
): Promise<readonly number[]> {
  const { client, ledger } = host;
  const { namespace = "", name = "", uid = "" } = job.metadata;
  // A new Job has none. The clock of a cluster cannot be compared with that of this machine.
  const isNew = job.status.uncountedTerminatedPods === undefined;
  if (isNew || host.kind === "cluster") return [];
  const labelSelector = podsOfJob(uid);
  // Pods are listed first: the Job has counted every missing pod by the time it is read.
  const { items } = await client.list(pods, { namespace, labelSelector });
  const current = (await findObject(client, jobs, { namespace, name })) ?? job;
  const { resourceVersion: since = "0" } = current.metadata;
  const done: number[] = [];
  const known = completedIn(former ?? job);
  const now = completedIn(current, items);
  for (const index of firstExcept(now, [known], now.size)) {
    const story = await ledger.find({ namespace, jobName: name }, index, { since });
    const end = story?.attempts.findLast(({ outcome }) => outcome === "Succeeded")?.endTime;
    if (end !== undefined && millisecondsOf(end) < beganMs) done.push(index);
  }
  return done;
}

function completedIn({ spec, status }: Job, items: readonly Pod[] = []): IndexSet {
  const completed = parseIndexes(status.completedIndexes ?? "", spec.completions ?? 0);
  for (const pod of items) {
    const index = completionIndexOf(pod);
    if (index !== undefined && pod.status.phase === "Succeeded") addIndex(completed, index);
  }
  return completed;
}
