/** Creates Jobs, runs them to their end, and times them, with any Client. */
import type { Client } from "../src/api/client.ts";
import type { Job, JobStatus } from "../src/api/generated/batch.ts";
import { jobs } from "../src/api/resources.ts";

export interface Size {
  readonly name: string;
  readonly completions: number;
  readonly parallelism?: number;
  readonly command?: readonly string[];
}

export const NAMESPACE = "default";

/**
 * KEP-2214 describes a load of 101 Jobs with 5, 20 and 400 pods, 1,200 in total. Only these numbers
 * of Jobs add up to that.
 */
export const MIXED_LOAD: readonly Size[] = [
  { label: "small", count: 80, completions: 5 },
  { label: "medium", count: 20, completions: 20 },
  { label: "large", count: 1, completions: 400 },
].flatMap(({ label, count, completions }) =>
  Array.from({ length: count }, (_, index) => ({ name: `${label}-${index}`, completions })),
);

export function anIndexedJob(size: Size): Job {
  const { name, completions, parallelism = completions, command = ["true"] } = size;
  const containers = [{ name: "c", image: "busybox", command, resources: {} }];
  const template = { metadata: {}, spec: { restartPolicy: "Never", containers } };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: NAMESPACE },
    spec: { completions, parallelism, completionMode: "Indexed", template },
    status: {},
  };
}

/** The seconds from the first creation until all Jobs are seen to be complete. */
export async function runJobs(client: Client, sizes: readonly Size[]): Promise<number> {
  const names = new Set(sizes.map(({ name }) => name));
  const began = performance.now();
  const complete = follow(client, (job) => {
    if (hasCondition(job, "Failed")) throw new Error(`Job ${job.metadata.name} failed`);
    if (hasCondition(job, "Complete")) names.delete(job.metadata.name ?? "");
    return names.size === 0;
  });
  for (const size of sizes) await startJob(client, size);
  await complete;
  return (performance.now() - began) / 1000;
}

export async function startJob(client: Client, size: Size): Promise<void> {
  await client.create(jobs, anIndexedJob(size));
}

/** Resolves with the first status that is wanted. */
export async function untilStatus(
  client: Client,
  name: string,
  isWanted: (status: JobStatus, job: Job) => boolean,
): Promise<JobStatus> {
  let found: JobStatus = {};
  await follow(client, (job) => {
    if (job.metadata.name !== name || !isWanted(job.status, job)) return false;
    found = job.status;
    return true;
  });
  return found;
}

export function hasCondition({ status }: Job, type: string): boolean {
  return (status.conditions ?? []).some((each) => each.type === type && each.status === "True");
}

/** Passes on every existing Job, then every change, until `isEnough` returns true. */
async function follow(client: Client, isEnough: (job: Job) => boolean): Promise<void> {
  const { items, resourceVersion } = await client.list(jobs, { namespace: NAMESPACE });
  for (const job of items) if (isEnough(job)) return;
  await new Promise<void>((resolve, reject) => {
    const request = { namespace: NAMESPACE, resourceVersion };
    const watch = client.watch(jobs, request, {
      onEvent: ({ object }) => {
        try {
          if (!isEnough(object)) return;
          resolve();
        } catch (error) {
          reject(error);
        }
        queueMicrotask(() => watch.close());
      },
      onEnd: (error) => reject(error ?? new Error("the watch of Jobs ended")),
    });
  });
}
