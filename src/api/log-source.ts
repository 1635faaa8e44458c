/** How the server reads the output of a pod's containers, wherever it is stored. */
import type { Pod } from "./generated/core.ts";

export interface LogSource {
  /**
   * The bytes in order, with back-pressure. Rejects with an ApiError if there is nothing to read.
   * The signal ends the reading, even while it waits for more.
   */
  open(pod: Pod, request: LogRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** Validated PodLogOptions. */
export interface LogRequest {
  /** One of the pod's containers. */
  readonly container: string;
  readonly follow: boolean;
  /** Read the previous run of the container. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Never set together with sinceMs. */
  readonly sinceSeconds?: number;
  readonly sinceMs?: number;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}
