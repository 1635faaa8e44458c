/** This machine as a node: its Node object, its processes and logs, and the agent between them. */

import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Client } from "../api/client.ts";
import type { Pod } from "../api/generated/core.ts";
import { KUBERNETES_VERSION } from "../api/kubernetes-version.ts";
import type { LogSource } from "../api/log-source.ts";
import type { StreamSource } from "../api/stream-source.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import { openAgent, type RunningAgent } from "./agent.ts";
import type { AgentOptions } from "./agent-options.ts";
import { allVariables, inheritedVariables } from "./environment/inherited.ts";
import type { ApiServerAddress } from "./environment/service-variables.ts";
import { logSource } from "./logs/log-source.ts";
import { type LogStore, openLogs } from "./logs/log-store.ts";
import type { ClusterNames } from "./network/pod-files.ts";
import type { NodeIdentity } from "./node/compose-node.ts";
import { nodeNameOf } from "./node/host-facts.ts";
import { openNode, type RegisteredNode } from "./node/node.ts";
import { readHost } from "./node/read-host.ts";
import { PodRuntimes, type SandboxSettings } from "./pod-runtimes.ts";
import { type Engines, openEngines } from "./runtimes/engine/engines-of-machine.ts";
import { openProcessRuntime, type ProcessRuntime } from "./runtimes/process/process-runtime.ts";
import { SeveralRuntimes } from "./runtimes/several-runtimes.ts";
import { streamSource } from "./streams/stream-source.ts";
import { StreamsChild } from "./streams/streams-child.ts";
import { terminationMessages } from "./termination-message.ts";

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

export interface NodeAgent {
  readonly nodeName: string;
  readonly logs: LogSource;
  readonly streams: StreamSource;
  stop(options: { readonly leavesRunning: boolean }): Promise<void>;
}

const LOOPBACK = "127.0.0.1";

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
  const [processes, engines] = await Promise.all([options.runtime, enginesOf(options)]).catch(
    async (error) => {
      await node.close("shutting down");
      throw error;
    },
  );
  const runtime = engines.size === 0 ? processes : new SeveralRuntimes(processes, engines);
  const places = openPlaces(options, { processes, engines }, identity);
  const hasHostFiles = (pod: Pod) => places.nameOf(pod) === "process";
  const agent = await openAgent({
    ...options,
    runtime,
    node: {
      name: identity.name,
      hostIp: address,
      allocatable: node.current.status.allocatable ?? {},
    },
    places,
    inherited: (options.environment === "whole" ? allVariables : inheritedVariables)(process.env),
    logs,
    lastWords: terminationMessages({ logs, hasHostFiles }),
    probes: { directory: path.join(dataDir, "agent", "probes") },
    judge: (pod) => places.judge(pod),
    ...reaching(options, places),
  });
  const provisioner = options.provisions ? provideVolumes(options, identity.name) : undefined;
  return {
    nodeName: identity.name,
    logs: logSource(logs, clock),
    streams: streamSource({
      find: (pod, container) => agent.find(pod, container),
      runtime,
      logs,
      child: new StreamsChild({ directory: path.join(dataDir, "agent"), clock }),
    }),
    stop: async (how) => {
      provisioner?.stop();
      await stop(node, agent, logs, how);
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

/** What pods have of the server and of volumes. */
function reaching(
  { dataDir, server }: NodeAgentOptions,
  places: PodRuntimes,
): Pick<AgentOptions, "volumes" | "apiServer"> {
  const directory = path.join(dataDir, "volumes");
  if (server === undefined) return { volumes: { directory } };
  const { certificateAuthority } = server;
  const apiServer = (pod: Pod) => (places.hasOwnNetwork(pod) ? undefined : server);
  return { volumes: { directory, certificateAuthority }, apiServer };
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

function enginesOf({ dataDir, sandbox, clock, log }: NodeAgentOptions): Promise<Engines> {
  const directory = path.join(dataDir, "agent");
  const around = { environment: process.env, uid: process.getuid?.() ?? 0 };
  const { enginePodCidr: range, defaultRuntime } = sandbox;
  const isWanted = !["auto", "process", "sandbox"].includes(defaultRuntime);
  return openEngines({ directory, range, isWanted, clock, log }, around);
}

interface Opened {
  readonly processes: ProcessRuntime;
  readonly engines: Engines;
}

function openPlaces(
  options: NodeAgentOptions,
  { processes: runtime, engines }: Opened,
  { name: nodeName, address: nodeAddress }: NodeIdentity,
): PodRuntimes {
  const { dataDir, clock, names, sandbox, strictLimits } = options;
  const directory = path.join(dataDir, "agent", "names");
  return new PodRuntimes({
    ...sandbox,
    runtime,
    engines: [...engines.keys()],
    strictLimits,
    nodeName,
    nodeAddress,
    hasFiles: () => existsSync(directory),
    openFiles: async () => {
      const { PodFiles } = await import("./network/pod-files.ts");
      return new PodFiles({ directory, nodeName, clock, ...(names ? { names } : {}) });
    },
  });
}
