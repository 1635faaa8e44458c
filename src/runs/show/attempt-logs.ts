/** Pure: what the attempts at items printed, in files of this machine or on a cluster. */
import type { Job } from "../../api/generated/batch.ts";
import type { ItemAttempt } from "../follow/attempt.ts";
import type { NumberedAttempt } from "./item-result.ts";

export interface AttemptLogs {
  /** For a run in the foreground; of each container in order, stdout and then stderr. */
  streamsOf(attempt: LoggedAttempt): readonly LogStream[];
  /** For `tally logs`, in the same order. */
  open(attempt: LoggedAttempt): readonly AttemptLog[];
  /** Of each container in order; undefined for a cluster, whose pods have to be asked. */
  filesOf(attempt: LoggedAttempt): readonly LogFiles[] | undefined;
}

export type LoggedAttempt = Pick<ItemAttempt, "pod" | "containers">;

export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

export interface LogStream {
  readonly isError: boolean;
  /** All of it, if it is short and can be read at once; undefined if it has to be copied. */
  readShort(): Buffer | undefined;
  /** All of it, no faster than it is written. */
  copy(write: WriteBytes): Promise<void>;
  /** The last bytes, after the attempt has ended. */
  readEnd(bytes: number): Buffer | Promise<Buffer>;
  /** The last bytes that are known at this moment, while the log grows. */
  peek(bytes: number): Buffer;
}

export interface AttemptLog {
  /** False if there is no log. */
  copy(write: WriteBytes, tailLines?: number): Promise<boolean>;
  /** For a log that grows: each call of `copyTo` writes what is new. */
  grow(tailLines?: number): { copyTo(write: WriteBytes): Promise<unknown> };
}

export interface LogFiles {
  readonly out: string;
  readonly err: string;
}

/** An attempt of the ledger, with all containers of its pod or the one that is named. */
export function loggedAttempt(
  { metadata, spec }: Job,
  { attempt, restarts }: NumberedAttempt,
  only?: string,
): LoggedAttempt {
  const { initContainers = [], containers } = spec.template.spec ?? {};
  const names = [...initContainers, ...(containers ?? [])].map(({ name }) => name);
  const wanted = only === undefined ? names : names.filter((name) => name === only);
  const { namespace = "" } = metadata;
  return {
    pod: { namespace, name: attempt.pod, uid: attempt.podUID },
    containers: wanted.map((container) => ({ container, restarts })),
  };
}

/** The log of a pod, as kubectl names it. */
export function podLog(pod: string): string {
  return `pod/${pod}`;
}
