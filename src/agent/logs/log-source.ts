/** Answers the API server's questions for logs from the files of this node. */
import { badRequest } from "../../api/errors.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { LogRequest, LogSource } from "../../api/log-source.ts";
import type { Clock } from "../../base/clock.ts";
import { attemptByCount, attemptOf, chooseRun } from "./choose-run.ts";
import type { LogStore } from "./log-store.ts";
import type { ReadOptions } from "./read-log.ts";

export function logSource(logs: LogStore, clock: Clock): LogSource {
  return {
    open: async (pod, request, signal) => {
      const run = { container: request.container, attempt: await findAttempt(logs, pod, request) };
      return logs.read(pod, run, readOptions(request, clock.nowMs()), signal);
    },
  };
}

/** What runs is known here before the pod's status says so. */
async function findAttempt(logs: LogStore, pod: Pod, request: LogRequest): Promise<number> {
  const { container, previous } = request;
  const running = logs.findRunning(pod, container);
  if (running !== undefined && !previous) return running;
  if (running !== undefined && running > 0) return running - 1;
  const chosen = chooseRun(pod, { container, previous });
  if ("problem" in chosen) throw badRequest(chosen.problem);
  const attempt = attemptOf(chosen.containerId) ?? attemptByCount(pod, { container, previous });
  // A run that could not start wrote none, and those of others were removed or are not ours.
  if (attempt !== undefined && (await logs.has(pod, { container, attempt }))) return attempt;
  throw badRequest(`unable to retrieve container logs for ${chosen.containerId}`);
}

function readOptions(request: LogRequest, nowMs: number): ReadOptions {
  const { follow, timestamps, sinceSeconds, tailLines, limitBytes } = request;
  const sinceMs = sinceSeconds === undefined ? request.sinceMs : nowMs - sinceSeconds * 1000;
  return {
    follow,
    timestamps,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}
