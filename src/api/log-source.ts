/** How the server reads what the containers of a pod have written, wherever that is kept. */
import type { Pod } from "./generated/core.ts";

export interface LogSource {
  /**
   * The bytes in their order, read no faster than they are taken. Rejects with an ApiError where
   * there is nothing to read. The signal ends the reading, also while it waits for more.
   */
  open(pod: Pod, request: LogRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** PodLogOptions, once they are known to be valid. */
export interface LogRequest {
  /** One of the pod's. */
  readonly container: string;
  readonly follow: boolean;
  /** The run before the one of now. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Never together with sinceMs. */
  readonly sinceSeconds?: number;
  readonly sinceMs?: number;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}
