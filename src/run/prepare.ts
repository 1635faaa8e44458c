/**
 * The Job of a run: created anew, or taken up where it was left. The Job comes first and what
 * belongs to it after, owned by it: a crash in between leaves nothing that nobody removes.
 */
import type { Name, ResourceType } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { Job } from "../api/generated/batch.ts";
import type { KubeObject } from "../api/object.ts";
import { configMaps, jobs, secrets, services } from "../api/resources.ts";
import { findObject } from "../client/find.ts";
import type { ReachedEngine } from "./reached-engine.ts";

export interface NewRun {
  readonly job: Job;
  /** What is to be there before the Job, and outlives it: what comes with a manifest. */
  readonly before?: readonly KubeObject[];
  readonly support: (ownerUid: string) => readonly KubeObject[];
}

/** A name that is taken; what can be done about it depends on how that run stands. */
export class NameTaken extends Error {
  override readonly name = "NameTaken";

  constructor(
    readonly job: Job,
    readonly isFinished: boolean,
  ) {
    super(`there is a run of the name ${job.metadata.name}`);
  }
}

export async function createRun({ client }: ReachedEngine, run: NewRun): Promise<Job> {
  const { namespace = "", name = "" } = run.job.metadata;
  const taken = await findObject(client, jobs, { namespace, name });
  if (taken) throw new NameTaken(taken, isFinished(taken));
  await createSupport(client, run.before ?? []);
  const job = await client.create(jobs, run.job);
  await createSupport(client, run.support(job.metadata.uid ?? ""));
  return job;
}

/** Whoever was killed between the Job and its list left the Job alone: the rest is made up for. */
export async function createSupport(
  client: ReachedEngine["client"],
  objects: readonly KubeObject[],
): Promise<void> {
  for (const object of objects) {
    try {
      await client.create(typeOf(object), object);
    } catch (error) {
      const exists = error instanceof ApiError && error.reason === "AlreadyExists";
      if (!exists) throw error;
    }
  }
}

function typeOf({ kind }: KubeObject): ResourceType {
  return [secrets, services].find((type) => type.kind === kind) ?? configMaps;
}

/** Removes a run and waits until nothing of it is left. */
export async function removeRun({ client }: ReachedEngine, name: Name): Promise<void> {
  await client.delete(jobs, name, { propagationPolicy: "Background" });
  while (await findObject(client, jobs, name)) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

const LOOK_AGAIN_MS = 10;

export function isFinished({ status }: Job): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: met }) => (type === "Complete" || type === "Failed") && met === "True",
  );
}
