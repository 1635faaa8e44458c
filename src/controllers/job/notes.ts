/**
 * Pure: changes to a Job's annotations that must be written before its finished pods are released.
 */
import type { Job } from "../../api/generated/batch.ts";
import { keptPodsOf } from "./annotations.ts";
import { formatNote } from "./backoff.ts";
import { FAILURES_NOTE, RERUN_INDEXES } from "./names.ts";
import { composeRequest } from "./reruns.ts";
import type { Scoreboard } from "./scoreboard.ts";

/** The annotations of a merge patch. Null removes an annotation. */
export interface Notes {
  readonly [annotation: string]: string | null;
}

export function composeNotes(job: Job, board: Scoreboard, nowMs: number): Notes | undefined {
  const request = composeRequest(board);
  const failures = composeFailures(job, board, nowMs);
  if (request === undefined && failures === undefined) return undefined;
  return {
    ...(request === undefined ? {} : { [RERUN_INDEXES]: request === "" ? null : request }),
    ...(failures === undefined ? {} : { [FAILURES_NOTE]: failures }),
  };
}

/** Nothing is written if the last noted state has no failures and there are still none. */
function composeFailures(job: Job, { lasting }: Scoreboard, nowMs: number): string | undefined {
  if (keptPodsOf(job) === "all") return undefined;
  const noted = job.metadata.annotations?.[FAILURES_NOTE] ?? "0@";
  if (lasting.failures === 0 && noted.startsWith("0@")) return undefined;
  const text = formatNote(lasting, nowMs);
  return text === noted ? undefined : text;
}
