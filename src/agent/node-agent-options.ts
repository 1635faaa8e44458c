/** What this machine is as a node. */
import type { Client } from "../api/client.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import type { ApiServerAddress } from "./environment/service-variables.ts";
import type { ClusterNames } from "./network/pod-files.ts";
import type { NodeIdentity } from "./node/compose-node.ts";
import type { SandboxSettings } from "./pod-runtimes.ts";
import type { ProcessRuntime } from "./runtimes/process/process-runtime.ts";

export interface NodeAgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly dataDir: string;
  readonly runtime: PreparedRuntime;
  /** The names of the cluster, for pods with files of their own. */
  readonly names?: ClusterNames;
  /** Of the node; absent: that of loopback, where pods have addresses of their own. */
  readonly address?: string;
  /** Where the server reaches an agent that is not in its own process. */
  readonly endpoint?: NodeIdentity["endpoint"] & object;
  /** Absent: the name of this machine. */
  readonly nodeName?: string;
  readonly maxPods: number;
  /** Absent: little of our own environment reaches the processes. */
  readonly environment?: "whole";
  readonly sandbox: SandboxSettings;
  /** A limit that cannot be enforced is refused rather than warned of. */
  readonly strictLimits: boolean;
  /** Limits are enforced where control groups can be made. */
  readonly usesCgroups: boolean;
  /** The server that pods may speak to; absent: there is none for them. */
  readonly server?: ReachedServer;
  /** Whether it makes volumes for claims. */
  readonly provisions?: boolean;
  /** Of the output of one run; 0 for no limit. */
  readonly logMaxBytes: number;
  /** What becomes of a run that prints more. */
  readonly onLogLimit: "cut" | "fail";
}

/** As it is reached from this machine. */
export interface ReachedServer extends ApiServerAddress {
  /** PEM. */
  readonly certificateAuthority: string;
}

export type PreparedRuntime = Promise<ProcessRuntime>;
