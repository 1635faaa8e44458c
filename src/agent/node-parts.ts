/** What an agent runs the pods of this machine with: runtimes, places, logs, volumes. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { Pod } from "../api/generated/core.ts";
import { pods } from "../api/resources.ts";
import type { AgentOptions } from "./agent-options.ts";
import { allVariables, inheritedVariables } from "./environment/inherited.ts";
import { type LogStore, openLogs } from "./logs/log-store.ts";
import type { NodeAgentOptions } from "./node-agent-options.ts";
import { isTerminal } from "./pod/endings.ts";
import { PodRuntimes, type PodRuntimesOptions } from "./pod-runtimes.ts";
import { ENGINES } from "./runtimes/engine/engine-run.ts";
import { type Engines, openEngines } from "./runtimes/engine/engines-of-machine.ts";
import type { ProcessRuntime } from "./runtimes/process/process-runtime.ts";
import type { Runtime } from "./runtimes/runtime.ts";
import { SeveralRuntimes } from "./runtimes/several-runtimes.ts";
import { terminationMessages } from "./termination-message.ts";

export interface Runtimes {
  readonly runtime: Runtime;
  readonly processes: ProcessRuntime;
  readonly engines: Engines;
}

export async function openRuntimes(options: NodeAgentOptions): Promise<Runtimes> {
  const [processes, engines] = await Promise.all([options.runtime, enginesOf(options)]);
  const runtime = engines.size === 0 ? processes : new SeveralRuntimes(processes, engines);
  return { runtime, processes, engines };
}

export function openNodeLogs(options: NodeAgentOptions): LogStore {
  const { clock, log, dataDir, logMaxBytes: maxBytes } = options;
  return openLogs({ directory: path.join(dataDir, "logs"), clock, log, maxBytes });
}

export interface NodeParts extends Pick<AgentOptions, "node"> {
  readonly logs: LogStore;
  readonly allowedRuntimes: PodRuntimesOptions["allowedRuntimes"];
}

/** What the agent of that node is made of. */
export function agentParts(
  options: NodeAgentOptions,
  runtimes: Runtimes,
  { node, logs, allowedRuntimes }: NodeParts,
): AgentOptions {
  const places = openPlaces(options, runtimes, { ...node, allowedRuntimes });
  const hasHostFiles = (pod: Pod) => places.nameOf(pod) === "process";
  return {
    ...options,
    runtime: runtimes.runtime,
    node,
    places,
    inherited: (options.environment === "whole" ? allVariables : inheritedVariables)(process.env),
    logs,
    lastWords: terminationMessages({ logs, hasHostFiles }),
    probes: { directory: path.join(options.dataDir, "agent", "probes") },
    judge: (pod) => places.judge(pod),
    ...reaching(options, places),
  };
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

function enginesOf(options: NodeAgentOptions): Promise<Engines> {
  const { client, dataDir, sandbox, clock, log } = options;
  const directory = path.join(dataDir, "agent");
  const around = { environment: process.env, uid: process.getuid?.() ?? 0 };
  const { enginePodCidr: range, defaultRuntime } = sandbox;
  const isWanted = !["auto", "process", "sandbox"].includes(defaultRuntime);
  const hasLeft = async () => (await client.list(pods)).items.some(hasContainers);
  return openEngines({ directory, range, isWanted, hasLeft, clock, log }, around);
}

/** Whether its containers are those of an engine, and may be running. */
function hasContainers({ status }: Pod): boolean {
  if (isTerminal(status.phase)) return false;
  return (status.containerStatuses ?? []).some(({ containerID = "" }) =>
    ENGINES.some((name) => containerID.startsWith(`${name}://`)),
  );
}

function openPlaces(
  options: NodeAgentOptions,
  { processes: runtime, engines }: Runtimes,
  {
    name: nodeName,
    hostIp: nodeAddress,
    allowedRuntimes,
  }: AgentOptions["node"] & Pick<NodeParts, "allowedRuntimes">,
): PodRuntimes {
  const { dataDir, clock, names, sandbox, strictLimits } = options;
  const directory = path.join(dataDir, "agent", "names");
  return new PodRuntimes({
    ...sandbox,
    allowedRuntimes,
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
