/**
 * Ends the pods that an agent of this machine left running, as a node that shuts down does, and
 * tells it in their status. Nothing is started, and the Node itself is not touched: it is as its
 * last agent left it.
 */
import os from "node:os";
import type { Client } from "../api/client.ts";
import type { Pod } from "../api/generated/core.ts";
import { nodes, pods } from "../api/resources.ts";
import { findObject } from "../client/find.ts";
import { openAgent } from "./agent.ts";
import type { AgentOptions } from "./agent-options.ts";
import { nodeNameOf } from "./node/host-facts.ts";
import type { NodeAgentOptions } from "./node-agent-options.ts";
import { agentParts, openNodeLogs, openRuntimes } from "./node-parts.ts";
import { type Recovered, recoverRuns } from "./recovered.ts";
import type { StoppedPods } from "./running-agent.ts";

const LOOPBACK = "127.0.0.1";

export async function endLeftPods(options: NodeAgentOptions): Promise<StoppedPods> {
  const runtimes = await openRuntimes(options);
  const logs = openNodeLogs(options);
  try {
    const recovered = await recoverRuns(runtimes.runtime);
    const node = await findNode(options.client, recovered);
    // What only ends may have run as anything.
    const own = { node, logs, allowedRuntimes: () => undefined };
    const parts = { ...agentParts(options, runtimes, own), onlyEnds: true };
    const agent = await openAgent(parts, Promise.resolve(recovered));
    return await agent.stop({ leavesRunning: false });
  } catch (error) {
    await runtimes.runtime.close({ leavesRunning: true });
    throw error;
  } finally {
    logs.close();
  }
}

async function findNode(client: Client, recovered: Recovered): Promise<AgentOptions["node"]> {
  const name = (await findNodeName(client, recovered)) ?? nodeNameOf(os.hostname());
  const { addresses = [], allocatable = {} } =
    (await findObject(client, nodes, { name }))?.status ?? {};
  const own = addresses.find(({ type }) => type === "InternalIP");
  return { name, hostIp: own?.address ?? LOOPBACK, allocatable };
}

/** Of the pods that were left: an agent ends what it finds of any other node when it starts. */
async function findNodeName(
  client: Client,
  { running, ended }: Recovered,
): Promise<string | undefined> {
  const left = new Set([...running, ...ended].map(({ id }) => id.podUid));
  if (left.size === 0) return undefined;
  const { items } = await client.list(pods);
  return items.find(({ metadata }: Pod) => left.has(metadata.uid ?? ""))?.spec.nodeName;
}
