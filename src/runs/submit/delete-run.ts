/**
 * Deletes a run with everything that belongs to it: the Job, its pods, its list and its
 * environment. A running engine deletes them as for any Job. Without one no engine is started for
 * it, because unfinished runs of the directory would continue.
 */

import type { Client, Name, ResourceType } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { podsOfJob } from "../../api/job-labels.ts";
import { configMaps, jobs, pods, secrets } from "../../api/resources.ts";
import { unlessGone } from "../../client/find.ts";
import { untilGone } from "../../client/watch-until.ts";
import { findListObjects } from "../list/stored-items.ts";
import { environmentPlace } from "./run-environment.ts";

export async function deleteRun(client: Client, job: Job, isLive: boolean): Promise<void> {
  const { namespace = "", name = "", uid = "" } = job.metadata;
  const lists = await findListObjects(client, job);
  const environment = environmentPlace(job);
  const labelSelector = podsOfJob(uid);
  await deleteIfThere(client, jobs, { namespace, name });
  if (isLive) {
    await untilGone(client, jobs, { namespace, fieldSelector: `metadata.name=${name}` }, uid);
  }
  const left = await client.list(pods, { namespace, labelSelector });
  for (const { metadata } of left.items) {
    await release(client, { namespace, name: metadata.name ?? "" }, isLive);
  }
  // A list that lost its owner when the run was retried would otherwise stay for ever.
  for (const { kind, name } of lists) {
    await deleteIfThere(client, kind === "Secret" ? secrets : configMaps, { namespace, name });
  }
  if (environment) await deleteIfThere(client, secrets, environment);
}

/**
 * Its processes end by themselves, or are ended by the next engine, which finds no pod for them.
 */
async function release(client: Client, name: Name, isLive: boolean): Promise<void> {
  if (!isLive) {
    const body = { metadata: { finalizers: null } };
    await unlessGone(client.patch(pods, name, { type: "merge", body }));
  }
  await unlessGone(client.delete(pods, name, isLive ? {} : { gracePeriodSeconds: 0 }));
}

async function deleteIfThere(client: Client, type: ResourceType, name: Name): Promise<void> {
  await unlessGone(client.delete(type, name, { propagationPolicy: "Background" }));
}
