/** Reads, compares and replaces the stored environment of a run. */
import type { Client, Name } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Secret } from "../../api/generated/core.ts";
import { jobs, secrets } from "../../api/resources.ts";
import {
  ENVIRONMENT,
  environmentNameOf,
  parseEnvironmentSecret,
  type RunEnvironment,
} from "../../api/run-environment.ts";
import { findObject, unlessGone } from "../../client/find.ts";
import { environmentObject } from "../compose/attach-environment.ts";
import { environmentChanges } from "../compose/environment-changes.ts";
import type { NewRun } from "./create-run.ts";
import { createSupport, ownedBy } from "./submit-job.ts";

/** The Secret with the environment of a Job; undefined if it has none. */
export function environmentPlace(job: Job): Name | undefined {
  const name = environmentNameOf(job);
  return name === undefined ? undefined : { namespace: job.metadata.namespace ?? "", name };
}

export interface EnvironmentUpdate {
  /** Notices for the user; empty if nothing changes. */
  readonly notices: readonly string[];
  /** Gives the new environment to the former Job, which continues. */
  readonly apply: () => Promise<void>;
}

/** Plans the change of the environment when a run is continued by a new command. */
export async function planEnvironment(
  client: Client,
  former: Job,
  { job, environment }: NewRun,
): Promise<EnvironmentUpdate> {
  if (environment === undefined) return { notices: [], apply: async () => {} };
  const place = environmentPlace(former);
  const before = place && environmentOf(await findObject(client, secrets, place));
  const change = before && environmentChanges(before, environment);
  const isSame = before !== undefined && change === undefined;
  return {
    notices: change === undefined ? [] : [change],
    apply: async () => {
      if (!isSame) await replace(client, former, environmentObject(job, environment));
    },
  };
}

function environmentOf(secret: Secret | undefined): RunEnvironment | undefined {
  const parsed = secret && parseEnvironmentSecret(secret);
  return parsed && !("problem" in parsed) ? parsed : undefined;
}

/** The Job always refers to an existing Secret: the old one is deleted last. */
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
  if (place) await unlessGone(client.delete(secrets, place));
}
