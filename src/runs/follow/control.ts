/**
 * Changes a run: parallelism, pause, resume, stop. Every change is stored in the Job itself, so
 * that any process can make it, and that it survives a crash.
 */
import type { Client, Name } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { jobs } from "../../api/resources.ts";
import { PAUSED, SURPLUS_PODS } from "../../api/work-list/names.ts";

export function isPaused({ metadata }: Job): boolean {
  return metadata.annotations?.[PAUSED] !== undefined;
}

/** The parallelism, or that before the pause. */
export function parallelismOf({ metadata, spec }: Job): number {
  const before = Number(metadata.annotations?.[PAUSED]);
  return Number.isInteger(before) && before > 0 ? before : (spec.parallelism ?? 1);
}

/** Whether running items can finish while no new ones are started. */
export function canDrain(job: Job | undefined): boolean {
  return job?.metadata.annotations?.[SURPLUS_PODS] === "finish";
}

/** Starts no new items. Running items finish if the controller supports that. */
export async function pauseRun(client: Client, name: Name): Promise<Job> {
  const job = await client.get(jobs, name);
  if (isPaused(job)) return job;
  const annotations = { [PAUSED]: String(parallelismOf(job)) };
  // With a parallelism of 0 Kubernetes deletes running pods, and does not count them.
  const spec = canDrain(job) ? { parallelism: 0 } : { suspend: true };
  return change(client, name, { metadata: { annotations }, spec });
}

/** Continues after a pause, an interrupt or a crash. */
export async function resumeRun(client: Client, name: Name, parallelism?: number): Promise<Job> {
  const job = await client.get(jobs, name);
  const wanted = parallelism ?? parallelismOf(job);
  const annotations = isPaused(job) ? { metadata: { annotations: { [PAUSED]: null } } } : {};
  const isAsked = job.spec.suspend === true || job.spec.parallelism !== wanted;
  if (!isAsked && !isPaused(job)) return job;
  const spec = { parallelism: wanted, ...(job.spec.suspend ? { suspend: false } : {}) };
  return change(client, name, { ...annotations, spec });
}

/** If the run is paused, the number applies when it is resumed. */
export async function scaleRun(client: Client, name: Name, parallelism: number): Promise<Job> {
  const job = await client.get(jobs, name);
  if (isPaused(job)) {
    const annotations = { [PAUSED]: String(parallelism) };
    return change(client, name, { metadata: { annotations } });
  }
  return change(client, name, { spec: { parallelism } });
}

/** Ends running items. They start from the beginning when the run is resumed. */
export function terminateRun(client: Client, name: Name): Promise<Job> {
  return change(client, name, { spec: { suspend: true } });
}

function change(client: Client, name: Name, body: object): Promise<Job> {
  return client.patch(jobs, name, { type: "merge", body });
}
