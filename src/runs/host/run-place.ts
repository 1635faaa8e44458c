/** Where runs are: the engine of a data directory of this machine, or a cluster. */
import type { TaskAttempt } from "../follow/attempt.ts";
import type { TaskLogs } from "../show/task-logs.ts";
import type { ReachedEngine } from "./reached-engine.ts";

export interface RunPlace {
  /** Called again whenever the engine that was reached is lost. */
  reach(): Promise<ReachedEngine>;
  readonly logs: TaskLogs;
  /** The flags with which another command finds its runs: "" or " --data DIR". */
  readonly flags: string;
  /** Where a person finds what an attempt at an item of the run wrote: a file, or a command. */
  logOf(run: string, attempt: TaskAttempt): string;
  close(): void;
}
