/** This machine as a node: its Node object, its processes and logs, and the agent between them. */

import os from "node:os";
import path from "node:path";
import type { Client } from "../api/client.ts";
import type { Pod } from "../api/generated/core.ts";
import { KUBERNETES_VERSION } from "../api/kubernetes-version.ts";
import type { LogSource } from "../api/log-source.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import type { Judgement } from "./admit.ts";
import { openAgent, type RunningAgent } from "./agent.ts";
import { allVariables, inheritedVariables } from "./environment/inherited.ts";
import { logSource } from "./logs/log-source.ts";
import { type LogStore, openLogs } from "./logs/log-store.ts";
import { nodeNameOf } from "./node/host-facts.ts";
import { openNode, type RegisteredNode } from "./node/node.ts";
import { readHost } from "./node/read-host.ts";
import { containersOf } from "./runtimes/process/containers.ts";
import { openProcessRuntime, type ProcessRuntime } from "./runtimes/process/process-runtime.ts";
import { admitPod, imageNotice, type ProcessAbilities } from "./runtimes/process/refusals.ts";
import { terminationMessages, unreadMessages } from "./termination-message.ts";

export interface NodeAgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly dataDir: string;
  readonly runtime: PreparedRuntime;
  /** Absent: the name of this machine. */
  readonly nodeName?: string;
  readonly maxPods: number;
  /** Absent: little of our own environment reaches the processes. */
  readonly environment?: "whole";
  /** A limit that cannot be enforced is refused rather than warned of. */
  readonly strictLimits: boolean;
  /** Limits are enforced where control groups can be made. */
  readonly usesCgroups: boolean;
  /** Of the output of one run; 0 for no limit. */
  readonly logMaxBytes: number;
  /** What becomes of a run that prints more. */
  readonly onLogLimit: "cut" | "fail";
}

export interface NodeAgent {
  readonly logs: LogSource;
  stop(options: { readonly leavesRunning: boolean }): Promise<void>;
}

/** Everything runs on the host's own network. */
const ADDRESS = "127.0.0.1";

export type PreparedRuntime = Promise<ProcessRuntime>;

/** Begins to start what runs the processes; whoever calls it owns the data directory. */
export function prepareRuntime(
  dataDir: string,
  { usesCgroups }: Pick<NodeAgentOptions, "usesCgroups">,
  log: Log,
): PreparedRuntime {
  const directory = path.join(dataDir, "agent");
  const opening = openProcessRuntime({ directory, log, clock: systemClock, usesCgroups });
  // Whoever waits for it later is told.
  opening.catch(() => {});
  return opening;
}

export async function startNodeAgent(options: NodeAgentOptions): Promise<NodeAgent> {
  const { client, clock, log, dataDir, maxPods, logMaxBytes } = options;
  const logs = openLogs({
    directory: path.join(dataDir, "logs"),
    clock,
    log,
    maxBytes: logMaxBytes,
  });
  const runtime = await options.runtime;
  const identity = {
    name: nodeNameOf(options.nodeName ?? os.hostname()),
    address: ADDRESS,
    maxPods,
    kubeletVersion: KUBERNETES_VERSION,
    runtimeVersion: `process://${process.versions.node}`,
  };
  const node = await openNode({ client, clock, log, identity, readHost: () => readHost(dataDir) });
  const agent = await openAgent({
    ...options,
    runtime,
    node: {
      name: identity.name,
      hostIp: ADDRESS,
      allocatable: node.current.status.allocatable ?? {},
    },
    inherited: (options.environment === "whole" ? allVariables : inheritedVariables)(process.env),
    logs,
    lastWords: terminationMessages({ logs, hasHostFiles: true }),
    judge: judgeBy(runtime, options.strictLimits),
  });
  return {
    logs: logSource(logs, clock),
    stop: (how) => stop(node, agent, logs, how),
  };
}

async function stop(
  node: RegisteredNode,
  agent: RunningAgent,
  logs: LogStore,
  how: { readonly leavesRunning: boolean },
): Promise<void> {
  await node.close("shutting down");
  await agent.stop(how);
  logs.close();
}

function judgeBy(runtime: ProcessRuntime, strictLimits: boolean): (pod: Pod) => Judgement {
  const { enforcesCpu, enforcesMemory } = runtime.can;
  const abilities: ProcessAbilities = {
    identity: {
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      groups: process.getgroups?.() ?? [],
    },
    hooks: ["exec", "httpGet", "sleep", "tcpSocket"],
    probes: [],
    enforcesCpu,
    enforcesMemory,
    strictLimits,
  };
  let lastOwner: string | undefined;
  return (pod) => {
    const admission = admitPod(pod, abilities);
    const unread = unreadMessages(containersOf(pod.spec));
    const judgement = { ...admission, warnings: [...admission.warnings, ...unread] };
    // Pods of one owner have the same images: to say it of one of them is enough.
    const owner = pod.metadata.ownerReferences?.[0]?.uid;
    const isNews = owner === undefined || owner !== lastOwner;
    lastOwner = owner;
    return isNews ? { ...judgement, remarks: [imageNotice(pod)] } : judgement;
  };
}
