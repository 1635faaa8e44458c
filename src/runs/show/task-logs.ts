/** Pure: what tasks wrote, wherever that is: in files of this machine, or with a cluster. */
import type { TaskAttempt } from "../follow/attempt.ts";

export interface TaskLogs {
  /** Of each container, in their order: what goes to stdout, then what goes to stderr. */
  streamsOf(attempt: Pick<TaskAttempt, "pod" | "runs">): readonly TaskStream[];
}

export interface TaskStream {
  readonly isError: boolean;
  /** All of it at once, where it is at hand and short; else it has to be copied. */
  readShort(): Buffer | undefined;
  /** All of it, no faster than it is taken. */
  copy(write: (bytes: Uint8Array) => Promise<void>): Promise<void>;
  /** The last bytes, of what is over. */
  readEnd(bytes: number): Buffer | Promise<Buffer>;
  /** The last bytes that are known at this moment, for somebody who looks while it grows. */
  peek(bytes: number): Buffer;
}
