/**
 * Changing a run that goes on: how many at a time, pause, go on, stop. Everything is said in the
 * Job itself, so that it does not matter who says it, and it is there again after a crash.
 */
import type { Client, Name } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { jobs } from "../../api/resources.ts";
import { PAUSED, SURPLUS_PODS } from "../../api/work-list/names.ts";

export function isPaused({ metadata }: Job): boolean {
  return metadata.annotations?.[PAUSED] !== undefined;
}

/** How many run at a time, or did before the pause. */
export function parallelismOf({ metadata, spec }: Job): number {
  const before = Number(metadata.annotations?.[PAUSED]);
  return Number.isInteger(before) && before > 0 ? before : (spec.parallelism ?? 1);
}

/** Whether what runs can go on when nothing new is to be started. */
export function canDrain(job: Job | undefined): boolean {
  return job?.metadata.annotations?.[SURPLUS_PODS] === "finish";
}

/** Nothing new is started; what runs goes on to its end, where that is possible. */
export async function pauseRun(client: Client, name: Name): Promise<Job> {
  const job = await client.get(jobs, name);
  if (isPaused(job)) return job;
  const annotations = { [PAUSED]: String(parallelismOf(job)) };
  // With a parallelism of 0 Kubernetes takes away what runs, and counts nothing of it.
  const spec = canDrain(job) ? { parallelism: 0 } : { suspend: true };
  return change(client, name, { metadata: { annotations }, spec });
}

/** Whatever was stopped goes on: after a pause, an interrupt or a crash. */
export async function resumeRun(client: Client, name: Name, parallelism?: number): Promise<Job> {
  const job = await client.get(jobs, name);
  const wanted = parallelism ?? parallelismOf(job);
  const annotations = isPaused(job) ? { metadata: { annotations: { [PAUSED]: null } } } : {};
  const isAsked = job.spec.suspend === true || job.spec.parallelism !== wanted;
  if (!isAsked && !isPaused(job)) return job;
  const spec = { parallelism: wanted, ...(job.spec.suspend ? { suspend: false } : {}) };
  return change(client, name, { ...annotations, spec });
}

/** While it is paused the number is kept for later. */
export async function scaleRun(client: Client, name: Name, parallelism: number): Promise<Job> {
  const job = await client.get(jobs, name);
  if (isPaused(job)) {
    const annotations = { [PAUSED]: String(parallelism) };
    return change(client, name, { metadata: { annotations } });
  }
  return change(client, name, { spec: { parallelism } });
}

/** What runs is ended, and will be run again from its beginning. */
export function terminateRun(client: Client, name: Name): Promise<Job> {
  return change(client, name, { spec: { suspend: true } });
}

function change(client: Client, name: Name, body: object): Promise<Job> {
  return client.patch(jobs, name, { type: "merge", body });
}
