/** The output of attempts: in the files of a data directory, or with the pods of a cluster. */
import { existsSync } from "node:fs";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Connection } from "../../client/http-connection.ts";
import { openLog } from "../cluster/cluster-logs.ts";
import { GrowingFile, lastLines } from "./growing-file.ts";
import type { NumberedAttempt } from "./item-result.ts";
import { attemptFiles } from "./log-files.ts";

type Write = (bytes: Uint8Array) => Promise<void>;

export interface AttemptLog {
  /** Whether there is any. */
  copy(write: Write, tailLines?: number): Promise<boolean>;
  /** For somebody who looks again and again. */
  grow(tailLines?: number): { copyTo(write: Write): Promise<unknown> };
}

/** Of each container of an attempt, or of the one that is named. */
export type AttemptLogs = (attempt: NumberedAttempt, container?: string) => readonly AttemptLog[];

export function logsOnDisk(dataDir: string, job: Job): AttemptLogs {
  return (attempt, container) =>
    attemptFiles({ dataDir, job }, attempt, container)
      .flatMap(({ out, err }) => [out, err])
      .map((file) => ({
        copy: async (write, tailLines) => {
          if (tailLines === undefined) await new GrowingFile(file).copyTo(write);
          else await write(lastLines(file, tailLines));
          return existsSync(file);
        },
        grow: (tailLines) => new GrowingFile(file, tailLines),
      }));
}

export function logsOnCluster(connection: Connection, job: Job): AttemptLogs {
  const { namespace = "" } = job.metadata;
  const { initContainers = [], containers } = job.spec.template.spec;
  const names = [...initContainers, ...(containers ?? [])].map(({ name }) => name);
  return ({ attempt }, only) =>
    names
      .filter((name) => only === undefined || name === only)
      .map((container) => {
        const log = { pod: { namespace, name: attempt.pod }, container };
        const copy = (isFollowing: boolean, write: Write, tailLines?: number) =>
          copyIfThere(connection, { ...log, isFollowing, tailLines }, write);
        return {
          copy: (write, tailLines) => copy(false, write, tailLines),
          grow: (tailLines) => {
            let isCopied = false;
            return {
              // To its end: what is asked for again has been shown.
              copyTo: async (write) => {
                if (!isCopied) isCopied = await copy(true, write, tailLines);
              },
            };
          },
        };
      });
}

type Log = Parameters<typeof openLog>[1];

/** False where the pod is gone, or has not begun. */
async function copyIfThere(connection: Connection, log: Log, write: Write): Promise<boolean> {
  try {
    for await (const piece of await openLog(connection, log)) await write(piece);
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 400)) return false;
    throw error;
  }
}
