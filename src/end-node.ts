/**
 * Ends the pods that a stopped server, or a stopped agent, left running on this machine. A small
 * composition root: the store without controllers or the client of a server elsewhere, and an agent
 * that only ends pods.
 */
import { endLeftPods } from "./agent/end-left-pods.ts";
import { prepareRuntime } from "./agent/node-agent.ts";
import type { Client } from "./api/client.ts";
import { systemClock } from "./base/clock.ts";
import { lockDirectory } from "./base/directory-lock.ts";
import type { Log } from "./base/log.ts";
import { Metrics } from "./base/metrics.ts";
import { systemRandom } from "./base/random.ts";
import { remoteClient } from "./client/remote.ts";
import type { AccessOptions } from "./client/renewing-connection.ts";
import { startCoreEngine } from "./engine.ts";
import type { SandboxMeasures } from "./engine-options.ts";

export interface EndNodeOptions {
  /** Of the server or of the agent; nobody else has it open. */
  readonly dataDir: string;
  readonly sandbox: SandboxMeasures;
  readonly log: Log;
}

export interface EndedNode {
  /** How many pods were ended. */
  readonly pods: number;
}

/** Nothing depends on it: no Service is made. */
const SERVICE_CIDR = "127.128.0.0/16";

/** Of a server whose store is in the data directory. */
export async function endNode(options: EndNodeOptions): Promise<EndedNode> {
  const { dataDir, log } = options;
  const own = { dataDir, controllers: "none", serviceCidr: SERVICE_CIDR, log } as const;
  const engine = await startCoreEngine(own);
  try {
    return await endPods(options, engine.client);
  } finally {
    await engine.stop();
  }
}

/** Of an agent whose server is elsewhere, and is told. */
export async function endRemoteNode(
  options: EndNodeOptions,
  server: AccessOptions,
): Promise<EndedNode> {
  const lock = await lockDirectory(options.dataDir);
  const client = remoteClient(server);
  try {
    return await endPods(options, client);
  } finally {
    client.close();
    await lock.release();
  }
}

function endPods({ dataDir, sandbox, log }: EndNodeOptions, client: Client): Promise<EndedNode> {
  const measures = { usesCgroups: true };
  return endLeftPods({
    client,
    clock: systemClock,
    random: systemRandom,
    metrics: new Metrics(),
    log,
    dataDir,
    sandbox,
    ...measures,
    runtime: prepareRuntime(dataDir, measures, log),
    // Of pods that are started, which none is.
    maxPods: 0,
    strictLimits: false,
    logMaxBytes: 0,
    onLogLimit: "cut",
  });
}
