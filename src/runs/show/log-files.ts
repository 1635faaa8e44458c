/** The file that has the output of an attempt, for people. */
import { statSync } from "node:fs";
import type { Job } from "../../api/generated/batch.ts";
import { shownPath } from "../host/data-directory.ts";
import type { RunHost } from "../host/run-host.ts";
import { loggedAttempt, podLog } from "./attempt-logs.ts";
import type { NumberedAttempt } from "./item-result.ts";

/**
 * The file to look at first: the last one that is not empty, which is mostly the stderr of the last
 * container. Undefined for a cluster.
 */
export function logToRead(
  { logs }: RunHost,
  job: Job,
  attempt: NumberedAttempt,
): string | undefined {
  const files = logs.filesOf(loggedAttempt(job, attempt)) ?? [];
  const all = files.flatMap(({ out, err }) => [out, err]);
  return all.findLast(hasText) ?? all.at(-2);
}

function hasText(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The path of that file, or the pod that a cluster has to be asked for. */
export function shownLog(
  host: RunHost,
  job: Job,
  attempt: NumberedAttempt,
  { workingDirectory }: { readonly workingDirectory: string },
): string | undefined {
  if (host.dataDir === undefined) return podLog(attempt.attempt.pod);
  const file = logToRead(host, job, attempt);
  return file && shownPath(file, workingDirectory);
}
