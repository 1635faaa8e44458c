/** An agent at work, as whoever started it sees it. */
import type { Container, Pod } from "../api/generated/core.ts";
import type { ComposedSurroundings } from "./compose-run.ts";
import type { RunId } from "./runtimes/runtime.ts";

export interface RunningAgent {
  /** Settles when everything that had ended before it began is told of. */
  readonly isCaughtUp: Promise<void>;
  /** A container of a pod of this node, as it is now. */
  find(pod: Pod, container: string): ContainerNow | undefined;
  /** Terminates the pods, and tells so, or leaves them to run and to be found again. */
  stop(options: { readonly leavesRunning: boolean }): Promise<StoppedPods>;
}

export interface StoppedPods {
  /** How many had processes, which were ended or left to run. */
  readonly pods: number;
}

export interface ContainerNow {
  readonly container: Container;
  /** Undefined where there is no process. */
  readonly running: RunId | undefined;
  readonly hasEnded: boolean;
  readonly podIp: string;
  surroundings(): ComposedSurroundings;
}
