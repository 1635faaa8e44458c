/** Pauses a run and waits until its processes have ended. Only then may a new Job replace it. */

import type { Client, Closable } from "../../api/client.ts";
import { conflict } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import { podsOfJob } from "../../api/job-labels.ts";
import { jobs, pods } from "../../api/resources.ts";
import { dieAt } from "../../base/die-at.ts";
import { pauseRun } from "../follow/control.ts";
import { isDrained } from "./drained.ts";

/**
 * Resolves with the Job when its processes have ended. Rejects with a Conflict if the Job is gone,
 * or another one has its name.
 */
export async function drainRun(client: Client, former: Job): Promise<Job> {
  const { namespace = "", name = "", uid = "" } = former.metadata;
  await pauseRun(client, { namespace, name });
  dieAt("resume");
  const own = { namespace, labelSelector: podsOfJob(uid) };
  const only = { namespace, fieldSelector: `metadata.name=${name}` };
  for (;;) {
    const found = await client.list(jobs, only);
    const [job] = found.items;
    if (job?.metadata.uid !== uid) throw conflict(jobs, name, "it was replaced meanwhile");
    const listed = await client.list(pods, own);
    if (isDrained(job, listed.items)) return job;
    await nextChange((onChange) => {
      const handlers = { onEvent: onChange, onEnd: onChange };
      return [
        client.watch(jobs, { ...only, resourceVersion: found.resourceVersion }, handlers),
        client.watch(pods, { ...own, resourceVersion: listed.resourceVersion }, handlers),
      ];
    });
  }
}

async function nextChange(open: (onChange: () => void) => readonly Closable[]): Promise<void> {
  let watches: readonly Closable[] = [];
  await new Promise<void>((resolve) => {
    watches = open(resolve);
  });
  for (const watch of watches) watch.close();
}
