/** A server with its node, as a user has it, and the client and figures to measure it with. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type RemoteClient, remoteClient } from "../src/client/remote.ts";
import { startTally, type Tally } from "../test/support/tally.ts";
import { cpuMs, descendantsCpuMs, type WithProcess } from "./process-figures.ts";

export interface SpawnCluster {
  readonly tally: Tally;
  readonly client: RemoteClient;
  readonly spawner: WithProcess;
}

/** Starts the cluster for the duration of the task. */
export async function withCluster<T>(task: (cluster: SpawnCluster) => Promise<T>): Promise<T> {
  const tally = await startTally({ hasAgent: true });
  const { url: server, token, ca } = tally;
  const client = remoteClient({ server, token, ca });
  try {
    // The name of the lock begins with the pid of its holder.
    const [holder = ""] = await readdir(join(tally.dataDir, "agent", "lock"));
    const spawner = { process: { pid: Number.parseInt(holder, 10) } };
    return await task({ tally, client, spawner });
  } finally {
    client.close();
    await tally.stop();
    await tally.dispose();
  }
}

/** CPU time by process. */
export interface Costs {
  readonly serverMs: number;
  readonly spawnerMs: number;
  /** The tasks, and the shells that start them. */
  readonly processesMs: number;
}

export async function readCosts({ tally, spawner }: SpawnCluster): Promise<Costs> {
  return {
    serverMs: await cpuMs(tally),
    spawnerMs: await cpuMs(spawner),
    processesMs: await descendantsCpuMs(spawner),
  };
}
