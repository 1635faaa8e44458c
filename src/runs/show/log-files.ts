/** Where the output of attempts is, though their pods are long gone. */
import { statSync } from "node:fs";
import { relative } from "node:path";
import type { Job } from "../../api/generated/batch.ts";
import type { RunsToRead } from "../host/runs-to-read.ts";
import type { NumberedAttempt } from "./item-result.ts";
import { type TaskFiles, taskFiles } from "./task-files.ts";

export interface LogPlace {
  readonly dataDir: string;
  readonly job: Job;
}

/** Of each container, in their order, or of the one that is named. */
export function attemptFiles(
  { dataDir, job }: LogPlace,
  { attempt, restarts }: NumberedAttempt,
  only?: string,
): readonly TaskFiles[] {
  const { namespace = "" } = job.metadata;
  const { initContainers = [], containers = [] } = job.spec.template.spec ?? {};
  const names = [...initContainers, ...(containers ?? [])].map(({ name }) => name);
  const wanted = only === undefined ? names : names.filter((name) => name === only);
  return taskFiles(dataDir, {
    pod: { namespace, name: attempt.pod, uid: attempt.podUID },
    runs: wanted.map((container) => ({ container, restarts })),
  });
}

/** The file that a person would look at first: of the last container, and what it complained of. */
export function logToRead(place: LogPlace, attempt: NumberedAttempt): string | undefined {
  const all = attemptFiles(place, attempt).flatMap(({ out, err }) => [out, err]);
  return all.findLast(hasText) ?? all.at(-2);
}

function hasText(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** As a person finds it: the path of a file, or the pod that a cluster has to be asked about. */
export function shownLog(
  { dataDir }: RunsToRead,
  job: Job,
  attempt: NumberedAttempt,
  { workingDirectory }: { readonly workingDirectory: string },
): string | undefined {
  if (dataDir === undefined) return podLog(attempt.attempt);
  const file = logToRead({ dataDir, job }, attempt);
  return file && shownPath(file, workingDirectory);
}

/** As kubectl names it. */
export function podLog({ pod }: { readonly pod: string }): string {
  return `pod/${pod}`;
}

/** As somebody in the directory would type it. */
export function shownPath(file: string, workingDirectory: string): string {
  const path = relative(workingDirectory, file);
  return path.startsWith("..") ? file : path;
}
