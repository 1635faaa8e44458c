/** The Job of a new run: created, or refused because its name is taken. */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import { isFinished } from "../../api/job-conditions.ts";
import type { KubeObject } from "../../api/object.ts";
import { jobs } from "../../api/resources.ts";
import { environmentNameOf, type RunEnvironment } from "../../api/run-environment.ts";
import type { ListPast } from "../../api/work-list/stored-list.ts";
import { dieAt } from "../../base/die-at.ts";
import { findObject } from "../../client/find.ts";
import { createSupport, submitRun } from "./submit.ts";

export interface NewRun {
  readonly job: Job;
  /** Objects of a manifest that are created before the Job, and outlive it. */
  readonly before?: readonly KubeObject[];
  /** Objects that belong to the Job: its list, with what is known of its items from before. */
  readonly support: (past?: ListPast) => readonly KubeObject[];
  /** What its processes are started with, which is among its support. */
  readonly environment?: RunEnvironment;
}

/** A name that is taken; what can be done about it depends on the state of that run. */
export class NameTaken extends Error {
  override readonly name = "NameTaken";

  constructor(
    readonly job: Job,
    readonly isFinished: boolean,
  ) {
    super(`there is a run of the name ${job.metadata.name}`);
  }
}

export async function createRun({ client }: { readonly client: Client }, run: NewRun) {
  const { namespace = "", name = "" } = run.job.metadata;
  const taken = await findObject(client, jobs, { namespace, name });
  if (taken && isSameSubmission(taken, run.job)) return taken;
  if (taken) throw new NameTaken(taken, isFinished(taken));
  await createSupport(client, run.before ?? []);
  return submitRun(client, { job: run.job, support: run.support() });
}

/** Stored by this very command: the engine was lost before it could say so. */
function isSameSubmission(stored: Job, asked: Job): boolean {
  const name = environmentNameOf(stored);
  return name !== undefined && name === environmentNameOf(asked);
}

/** The run under the name of a finished one, of which nothing stays. */
export async function replaceRun(
  { client }: { readonly client: Client },
  run: NewRun,
  former: Job,
): Promise<Job> {
  dieAt("replace");
  await createSupport(client, run.before ?? []);
  dieAt("replace");
  const { uid = "", resourceVersion = "" } = former.metadata;
  const submission = { job: run.job, support: run.support(), former: { uid, resourceVersion } };
  const job = await submitRun(client, submission);
  dieAt("replace");
  return job;
}

/** Whether a submission failed because the Job it was to replace had changed meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "Conflict";
}
