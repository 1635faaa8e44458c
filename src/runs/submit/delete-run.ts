/**
 * Removing a run with everything that belongs to it: the Job, its pods, its list and its
 * environment. An engine that is running does it as for any Job. Where there is none nothing is
 * started for it: what was left unfinished of other runs would go on.
 */
import type { Client, Name, ResourceType } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import { configMaps, jobs, pods, secrets } from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import { findListObjects } from "../list/stored-items.ts";
import { environmentPlace } from "./run-environment.ts";

export async function deleteRun(client: Client, job: Job, isLive: boolean): Promise<void> {
  const { namespace = "", name = "", uid = "" } = job.metadata;
  const lists = await findListObjects(client, job);
  const environment = environmentPlace(job);
  const labelSelector = `batch.kubernetes.io/controller-uid=${uid}`;
  await deleteIfThere(client, jobs, { namespace, name });
  if (isLive) await untilGone(client, { namespace, name }, uid);
  const left = await client.list(pods, { namespace, labelSelector });
  for (const { metadata } of left.items) {
    await release(client, { namespace, name: metadata.name ?? "" }, isLive);
  }
  // One that was left without an owner when the run was retried would stay for ever.
  for (const { kind, name } of lists) {
    await deleteIfThere(client, kind === "Secret" ? secrets : configMaps, { namespace, name });
  }
  if (environment) await deleteIfThere(client, secrets, environment);
}

/** Its processes end by themselves, or with the next engine, which knows no pod of theirs. */
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

async function unlessGone(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "NotFound")) throw error;
  }
}

const LOOK_AGAIN_MS = 20;

async function untilGone(client: Client, name: Name, uid: string): Promise<void> {
  for (;;) {
    const found = await findObject(client, jobs, name);
    if (found?.metadata.uid !== uid) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
