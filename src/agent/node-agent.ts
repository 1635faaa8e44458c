/** This machine as a node: its Node object, its processes and logs, and the agent between them. */

import os from "node:os";
import path from "node:path";
import type { Client } from "../api/client.ts";
import type { Pod } from "../api/generated/core.ts";
import { KUBERNETES_VERSION } from "../api/kubernetes-version.ts";
import type { LogSource } from "../api/log-source.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import type { Judgement } from "./admit.ts";
import { openAgent, type RunningAgent } from "./agent.ts";
import { inheritedVariables } from "./environment/inherited.ts";
import { findContainer } from "./find-container.ts";
import { logSource } from "./logs/log-source.ts";
import { type LogStore, openLogs } from "./logs/log-store.ts";
import { nodeNameOf } from "./node/host-facts.ts";
import { openNode, type RegisteredNode } from "./node/node.ts";
import { readHost } from "./node/read-host.ts";
import { openProcessRuntime, type ProcessRuntime } from "./runtimes/process/process-runtime.ts";
import { admitPod, imageNotice, type ProcessAbilities } from "./runtimes/process/refusals.ts";
import type { Exit } from "./runtimes/runtime.ts";

export interface NodeAgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly dataDir: string;
  /** Absent: the name of this machine. */
  readonly nodeName?: string;
  readonly maxPods: number;
  /** A limit that cannot be enforced is refused rather than warned of. */
  readonly strictLimits: boolean;
  /** Of the output of one run; 0 for no limit. */
  readonly logMaxBytes: number;
}

export interface NodeAgent {
  readonly logs: LogSource;
  stop(options: { readonly leavesRunning: boolean }): Promise<void>;
}

/** Everything runs on the host's own network. */
const ADDRESS = "127.0.0.1";

export async function startNodeAgent(options: NodeAgentOptions): Promise<NodeAgent> {
  const { client, clock, log, dataDir, maxPods, logMaxBytes } = options;
  const logs = openLogs({
    directory: path.join(dataDir, "logs"),
    clock,
    log,
    maxBytes: logMaxBytes,
  });
  const runtime = await openProcessRuntime({ directory: path.join(dataDir, "agent"), log, clock });
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
    inherited: inheritedVariables(process.env),
    logs,
    lastWords: (pod, exit) => fallbackMessage(logs, pod, exit),
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
    hooks: [],
    probes: [],
    enforcesCpu,
    enforcesMemory,
    strictLimits,
  };
  let lastOwner: string | undefined;
  return (pod) => {
    const judgement = admitPod(pod, abilities);
    // Pods of one owner have the same images: to say it of one of them is enough.
    const owner = pod.metadata.ownerReferences?.[0]?.uid;
    const isNews = owner === undefined || owner !== lastOwner;
    lastOwner = owner;
    return isNews ? { ...judgement, remarks: [imageNotice(pod)] } : judgement;
  };
}

const FALLBACK = { lines: 80, bytes: 2048 };

/** What a container that failed had last to say, where it asks for that. */
async function fallbackMessage(
  logs: LogStore,
  pod: Pod,
  { id, exitCode }: Exit,
): Promise<string | undefined> {
  const { terminationMessagePolicy } = findContainer(pod, id.container) ?? {};
  if (exitCode === 0 || terminationMessagePolicy !== "FallbackToLogsOnError") return undefined;
  const words = await logs.lastWords(pod, id, FALLBACK);
  return words === "" ? undefined : words;
}
