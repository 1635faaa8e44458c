/**
 * The items of an earlier run that ended when nobody looked. Processes outlive the command that
 * started them, and how they ended is told when the next engine begins: by then the Job itself does
 * not say which of its items were done before, and which are done since.
 */

import { completionIndexOf } from "../../api/completion-index.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { addIndex, firstExcept, type IndexSet, parseIndexes } from "../../api/index-set.ts";
import { jobs, pods } from "../../api/resources.ts";
import { millisecondsOf } from "../../api/time.ts";
import { findObject } from "../../client/find.ts";
import type { ReachedEngine } from "../host/reached-engine.ts";

/** Those that succeeded before the time and are not in the status of the Job as it was found. */
export async function doneBefore(
  engine: ReachedEngine,
  { former, job }: { readonly former?: Job; readonly job: Job },
  beganMs: number,
): Promise<readonly number[]> {
  const { client, ledger } = engine;
  const { namespace = "", name = "", uid = "" } = job.metadata;
  // A Job that is new has nothing of the kind; a cluster has clocks of its own.
  const isNew = job.status.uncountedTerminatedPods === undefined;
  if (isNew || !(engine.isOwn || engine.isPassing)) return [];
  const labelSelector = `batch.kubernetes.io/controller-uid=${uid}`;
  // The pods first: what is not among them any more the Job has counted by the time it is read.
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
