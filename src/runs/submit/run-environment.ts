/** The environment that a run is stored with: read, compared and replaced. */
import type { Client, Name } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Secret } from "../../api/generated/core.ts";
import { jobs, secrets } from "../../api/resources.ts";
import {
  ENVIRONMENT,
  environmentNameOf,
  parseEnvironmentSecret,
  type RunEnvironment,
} from "../../api/run-environment.ts";
import { findObject } from "../../client/find.ts";
import { environmentObject } from "../compose/attach-environment.ts";
import { environmentChanges } from "../compose/environment-changes.ts";
import type { NewRun } from "./create-run.ts";
import { createSupport, ownedBy } from "./submit-job.ts";

/** The Secret that a Job names; undefined where it names none. */
export function environmentPlace(job: Job): Name | undefined {
  const name = environmentNameOf(job);
  return name === undefined ? undefined : { namespace: job.metadata.namespace ?? "", name };
}

export interface EnvironmentUpdate {
  /** For the user; empty where nothing changes. */
  readonly said: readonly string[];
  /** Gives the former Job, which goes on, the environment that was asked for. */
  readonly apply: () => Promise<void>;
}

/** How the environment of a run changes when it is resumed by another command line. */
export async function planEnvironment(
  client: Client,
  former: Job,
  { job, environment }: NewRun,
): Promise<EnvironmentUpdate> {
  if (environment === undefined) return { said: [], apply: async () => {} };
  const place = environmentPlace(former);
  const before = place && environmentOf(await findObject(client, secrets, place));
  const change = before && environmentChanges(before, environment);
  const isSame = before !== undefined && change === undefined;
  return {
    said: change === undefined ? [] : [change],
    apply: async () => {
      if (!isSame) await replace(client, former, environmentObject(job, environment));
    },
  };
}

function environmentOf(secret: Secret | undefined): RunEnvironment | undefined {
  const parsed = secret && parseEnvironmentSecret(secret);
  return parsed && !("problem" in parsed) ? parsed : undefined;
}

/** The Job names the one or the other at any time, and both are there until it names the next. */
async function replace(client: Client, former: Job, next: Secret): Promise<void> {
  const { namespace = "", name = "" } = former.metadata;
  await createSupport(client, [ownedBy(next, former)]);
  const annotations = { [ENVIRONMENT]: next.metadata.name ?? "" };
  await client.patch(
    jobs,
    { namespace, name },
    { type: "merge", body: { metadata: { annotations } } },
  );
  const place = environmentPlace(former);
  if (place) await deleteIfThere(client, place);
}

async function deleteIfThere(client: Client, place: Name): Promise<void> {
  try {
    await client.delete(secrets, place);
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "NotFound")) throw error;
  }
}
