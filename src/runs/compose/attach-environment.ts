/** Pure: adds the environment of its processes to a run. */
import type { Job } from "../../api/generated/batch.ts";
import type { Secret } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import {
  composeEnvironmentSecret,
  ENVIRONMENT,
  environmentNameOf,
  type RunEnvironment,
} from "../../api/run-environment.ts";
import type { ListPast } from "../../api/work-list/stored-list.ts";
import { UsageError } from "../../base/usage-error.ts";

export interface EnvironmentRun {
  readonly job: Job;
  readonly support: (past?: ListPast) => readonly KubeObject[];
}

/** A Secret holds 1 MiB, including limits and working directory. */
export const MAX_ENVIRONMENT_BYTES = 1_000_000;

/**
 * The suffix is part of the name of the object: each environment has its own. Throws a UsageError
 * if the environment cannot be stored.
 */
export function attachEnvironment<T extends EnvironmentRun>(
  run: T,
  environment: RunEnvironment,
  suffix: string,
): T & { readonly environment: RunEnvironment } {
  const { length } = environment.variables;
  if (length > MAX_ENVIRONMENT_BYTES) {
    throw new UsageError(
      `the environment has ${length} bytes, and at most ${MAX_ENVIRONMENT_BYTES} can be stored ` +
        "with a run: unset the variables that the command does not need",
    );
  }
  const { metadata } = run.job;
  const name = `${metadata.name ?? ""}-environment-${suffix}`;
  const annotations = { ...metadata.annotations, [ENVIRONMENT]: name };
  const job = { ...run.job, metadata: { ...metadata, annotations } };
  const support = (past?: ListPast): readonly KubeObject[] => [
    environmentObject(job, environment),
    ...run.support(past),
  ];
  return { ...run, job, support, environment };
}

/** The Secret with the name that the Job has for it. */
export function environmentObject(job: Job, environment: RunEnvironment): Secret {
  const { namespace = "" } = job.metadata;
  return composeEnvironmentSecret(environment, { name: environmentNameOf(job) ?? "", namespace });
}
