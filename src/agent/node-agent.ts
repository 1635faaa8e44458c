/** This machine as a node: its Node object, its processes and logs, and the agent between them. */

import os from "node:os";
import path from "node:path";
import { KUBERNETES_VERSION } from "../api/kubernetes-version.ts";
import type { LogSource } from "../api/log-source.ts";
import { findAllowedRuntimes } from "../api/shared-runtimes.ts";
import type { StreamSource } from "../api/stream-source.ts";
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { openAgent } from "./agent.ts";
import { logSource } from "./logs/log-source.ts";
import type { LogStore } from "./logs/log-store.ts";
import type { NodeIdentity } from "./node/compose-node.ts";
import { nodeNameOf } from "./node/host-facts.ts";
import { openNode, type RegisteredNode } from "./node/node.ts";
import { readHost } from "./node/read-host.ts";
import type { NodeAgentOptions, PreparedRuntime } from "./node-agent-options.ts";
import { agentParts, openNodeLogs, openRuntimes } from "./node-parts.ts";
import type { RunningAgent, StoppedPods } from "./running-agent.ts";
import { openProcessRuntime } from "./runtimes/process/process-runtime.ts";
import { streamSource } from "./streams/stream-source.ts";
import { StreamsChild } from "./streams/streams-child.ts";

export interface NodeAgent {
  readonly nodeName: string;
  readonly logs: LogSource;
  readonly streams: StreamSource;
  /** Settles when everything that had ended before it began is told of. */
  readonly isCaughtUp: Promise<void>;
  stop(measures: StopMeasures): Promise<StoppedPods>;
}

export interface StopMeasures {
  readonly leavesRunning: boolean;
  /**
   * The server stops with it. A node that leaves its pods running then stays ready, as one whose
   * kubelet is restarted: otherwise the next server would take these pods for unready at first.
   */
  readonly isWithServer?: boolean;
}

const LOOPBACK = "127.0.0.1";

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
  const { client, clock, log, dataDir, maxPods } = options;
  const logs = openNodeLogs(options);
  const { address = LOOPBACK, endpoint } = options;
  const identity: NodeIdentity = {
    name: nodeNameOf(options.nodeName ?? os.hostname()),
    address,
    ...(endpoint ? { endpoint } : {}),
    maxPods,
    kubeletVersion: KUBERNETES_VERSION,
    runtimeVersion: `process://${process.versions.node}`,
  };
  // Pods are bound to it meanwhile.
  const node = await openNode({ client, clock, log, identity, readHost: () => readHost(dataDir) });
  const runtimes = await openRuntimes(options).catch(async (error) => {
    await node.close("shutting down");
    throw error;
  });
  const { allocatable = {} } = node.current.status;
  const own = { name: identity.name, hostIp: address, allocatable };
  const allowedRuntimes = () => findAllowedRuntimes(node.current);
  const parts = agentParts(options, runtimes, { node: own, logs, allowedRuntimes });
  const agent = await openAgent(parts);
  const provisioner = options.provisions ? provideVolumes(options, identity.name) : undefined;
  return {
    nodeName: identity.name,
    isCaughtUp: agent.isCaughtUp,
    logs: logSource(logs, clock),
    streams: streamSource({
      find: (pod, container) => agent.find(pod, container),
      runtime: runtimes.runtime,
      logs,
      child: new StreamsChild({ directory: path.join(dataDir, "agent"), clock }),
    }),
    stop: async (how) => {
      provisioner?.stop();
      return stop(node, agent, logs, how);
    },
  };
}

/** Nobody waits for it: a claim that comes before it is found when it is there. */
function provideVolumes(options: NodeAgentOptions, nodeName: string): RunningProvisioner {
  const { dataDir, log } = options;
  const directory = path.join(dataDir, "volumes", "claims");
  const starting = import("./volumes/provisioner.ts").then(({ startProvisioner }) =>
    startProvisioner({ ...options, nodeName, directory }),
  );
  starting.catch((error) => log.error("no volumes are made for claims", { error }));
  return { stop: () => void starting.then((provisioner) => provisioner.stop()).catch(() => {}) };
}

interface RunningProvisioner {
  stop(): void;
}

async function stop(
  node: RegisteredNode,
  agent: RunningAgent,
  logs: LogStore,
  { leavesRunning, isWithServer = false }: StopMeasures,
): Promise<StoppedPods> {
  await node.close(leavesRunning && isWithServer ? undefined : "shutting down");
  const stopped = await agent.stop({ leavesRunning });
  logs.close();
  return stopped;
}
