/** Pure: the warnings about Jobs that are accepted. */
import { isEqual } from "../../api/equal.ts";
import type { Job, JobSpec } from "../../api/generated/batch.ts";
import { dns1123Label } from "../../api/names.ts";
import { podTemplateWarnings } from "../pod/warnings.ts";
import { COMPLETIONS_SOFT_LIMIT, INDEXED } from "./validate.ts";

const PARALLELISM_SOFT_LIMIT = 10_000;

export function jobWarningsOnCreate(job: Job): string[] {
  return [...nameWarnings(job.metadata.name ?? ""), ...jobSpecWarnings(job.spec, "spec")];
}

export function jobWarningsOnUpdate(next: Job, old: Job): string[] {
  return isEqual(next.spec, old.spec) ? [] : jobSpecWarnings(next.spec, "spec", old.spec);
}

/** Valid names that lead to surprising hostnames. CronJobs pass their names on to Jobs. */
export function nameWarnings(name: string): string[] {
  const problems = dns1123Label(name);
  if (problems.length === 0) return [];
  const warning =
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising " +
    "behavior; a DNS label is recommended";
  return [`${warning}: [${problems.join(" ")}]`];
}

export function jobSpecWarnings(spec: JobSpec, path: string, old?: JobSpec): string[] {
  const { completions = 0, parallelism = 0, completionMode } = spec;
  const warnings: string[] = [];
  const isBig = completions > COMPLETIONS_SOFT_LIMIT && parallelism > PARALLELISM_SOFT_LIMIT;
  if (completionMode === INDEXED && isBig) {
    warnings.push(
      `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism ` +
        "higher than 10^4, Kubernetes might not be able to track completedIndexes when a big " +
        "number of indexes fail",
    );
  }
  const templatePath = `${path}.template`;
  return [...warnings, ...podTemplateWarnings(spec.template, templatePath, old?.template)];
}
