/** Creates the Job of a run under a new name, or in place of a finished run. */
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
import { createSupport, submitRun } from "./submit-job.ts";

export interface NewRun {
  readonly job: Job;
  /** Objects of a manifest: created before the Job, and not deleted with it. */
  readonly before?: readonly KubeObject[];
  /** Objects that belong to the Job: its list, with the history of its items. */
  readonly support: (past?: ListPast) => readonly KubeObject[];
  /** The environment of its processes; also stored in an object of `support`. */
  readonly environment?: RunEnvironment;
}

/** The name is taken by another run. */
export class NameTaken extends Error {
  override readonly name = "NameTaken";

  constructor(
    readonly job: Job,
    readonly isFinished: boolean,
  ) {
    super(`there is a run of the name ${job.metadata.name}`);
  }
}

/** What the user can do about it. */
export function takenText(
  { job, isFinished }: NameTaken,
  { replace }: { readonly replace?: boolean },
): string {
  const { name } = job.metadata;
  if (isFinished) {
    return (
      `the run ${name} is finished; give --resume to run what is left of it, or --replace to ` +
      `forget it and run all anew`
    );
  }
  const hint = replace ? `; to begin anew, first: tally delete ${name}` : "";
  return `the run ${name} is not finished; give --resume to go on with it${hint}`;
}

export async function createRun({ client }: { readonly client: Client }, run: NewRun) {
  const { namespace = "", name = "" } = run.job.metadata;
  const taken = await findObject(client, jobs, { namespace, name });
  if (taken && isSameSubmission(taken, run.job)) return taken;
  if (taken) throw new NameTaken(taken, isFinished(taken));
  await createSupport(client, run.before ?? []);
  return submitRun(client, { job: run.job, support: run.support() });
}

/** Whether this command stored it, and the engine was lost before it answered. */
function isSameSubmission(stored: Job, asked: Job): boolean {
  const name = environmentNameOf(stored);
  return name !== undefined && name === environmentNameOf(asked);
}

/** Replaces a finished run: nothing of it stays. */
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

/** Whether the Job that was to be replaced has changed in the meantime. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "Conflict";
}
