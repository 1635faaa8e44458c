/**
 * The composition root of an agent on its own: this machine as a node of a server elsewhere.
 *
 * All it knows of its pods it has from there; what runs survives it as it survives a server. The
 * server reaches it at an endpoint of its own (nodes/endpoint.ts), if it can tell the server.
 */
import { hostname } from "node:os";
import { issueAuthority, issueServer } from "./access/x509.ts";
import { nodeNameOf } from "./agent/node/host-facts.ts";
import { type NodeAgent, prepareRuntime } from "./agent/node-agent.ts";
import type { NodeAgentOptions } from "./agent/node-agent-options.ts";
import type { Client } from "./api/client.ts";
import { pods, services } from "./api/resources.ts";
import { addressAt, formatAddress, isLoopback, parseAddress, parseCidr } from "./base/address.ts";
import { systemClock } from "./base/clock.ts";
import { logOnSignal } from "./base/diagnostics-signal.ts";
import { lockDirectory } from "./base/directory-lock.ts";
import type { Log } from "./base/log.ts";
import { Metrics } from "./base/metrics.ts";
import { systemRandom } from "./base/random.ts";
import { findObject } from "./client/find.ts";
import { remoteClient } from "./client/remote.ts";
import type { AccessOptions } from "./client/renewing-connection.ts";
import type { AgentMeasures, Stopped } from "./engine-options.ts";
import { startNetworkedAgent } from "./networked-agent.ts";
import { type Endpoint, openEndpoint, type PodPlace } from "./nodes/endpoint.ts";
import { NODE_AUTHORITY } from "./nodes/remote-node.ts";

export interface RemoteAgentOptions {
  readonly server: AccessOptions;
  readonly agent: AgentMeasures;
  /** Exists, and nobody but its owner can read it. */
  readonly dataDir: string;
  /** Where others reach this machine: of the node, and of its endpoint. */
  readonly address: string;
  /** Of the endpoint; 0 for any free one. */
  readonly port: number;
  /** PEM: by which the server is known. Absent: logs and commands are not served. */
  readonly clientAuthority?: string;
  readonly log: Log;
}

export interface RemoteAgent {
  readonly nodeName: string;
  stop(): Promise<Stopped>;
}

export async function startRemoteAgent(options: RemoteAgentOptions): Promise<RemoteAgent> {
  const { agent: measures, dataDir, log, server } = options;
  const lock = await lockDirectory(dataDir);
  const client = remoteClient(server);
  const nodeName = nodeNameOf(measures.nodeName ?? hostname());
  const opened: { agent?: NodeAgent; endpoint?: Endpoint } = {};
  const metrics = new Metrics();
  const listening = logOnSignal(metrics.diagnostics, log);
  const stop = async (): Promise<Stopped> => {
    const leavesRunning = measures.onExit === "leave";
    const stopped = await opened.agent?.stop({ leavesRunning });
    await opened.endpoint?.close();
    client.close();
    await lock.release();
    await listening.close();
    return { leftRunning: leavesRunning ? (stopped?.pods ?? 0) : 0 };
  };
  try {
    const runtime = prepareRuntime(dataDir, measures, log);
    const serviceCidr = await localServiceRange(client);
    if (serviceCidr === undefined) {
      log.warn("names and Services of the cluster are not opened here: its range is not loopback");
    }
    const reached = await openOwnEndpoint(options, { client, nodeName, opened });
    const own = { client, clock: systemClock, random: systemRandom, metrics };
    const machine = { address: options.address, ...reached, ...measures, nodeName };
    opened.agent = await startNetworkedAgent({
      ...own,
      ...machine,
      dataDir,
      runtime,
      log: log.child({ part: "agent" }),
      ...(serviceCidr === undefined ? {} : { serviceCidr }),
    });
    return { nodeName, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The range of Services where it is one of loopback: on this machine, and ours to listen on. Any
 * other is a network that somebody else looks after.
 */
async function localServiceRange(client: Client): Promise<string | undefined> {
  const place = { namespace: "default", name: "kubernetes" };
  const service = await findObject(client, services, place);
  const address = parseAddress(service?.spec.clusterIP ?? "");
  if (address === undefined || !isLoopback(address)) return undefined;
  const range = parseCidr(`${address[0]}.${address[1]}.0.0/16`);
  return range && `${formatAddress(addressAt(range, 0))}/16`;
}

interface Serving {
  readonly client: Client;
  readonly nodeName: string;
  readonly opened: { agent?: NodeAgent; endpoint?: Endpoint };
}

/** Before the node says where it is; what is asked before the agent stands is refused. */
async function openOwnEndpoint(
  { clientAuthority, address, port, log }: RemoteAgentOptions,
  { client, nodeName, opened }: Serving,
): Promise<Pick<NodeAgentOptions, "endpoint">> {
  if (clientAuthority === undefined) {
    log.warn("logs and commands are not served: it is not known how the server proves itself", {
      remedy: "--client-ca-file",
    });
    return {};
  }
  const { authority, tls } = ownCertificate(address, nodeName);
  const agent = () => {
    if (!opened.agent) throw new Error("the agent is still starting");
    return opened.agent;
  };
  opened.endpoint = await openEndpoint({
    address,
    port,
    tls,
    clientAuthority,
    logs: { open: async (...asked) => agent().logs.open(...asked) },
    streams: {
      exec: async (...asked) => agent().streams.exec(...asked),
      attach: async (...asked) => agent().streams.attach(...asked),
      connect: async (...asked) => agent().streams.connect(...asked),
    },
    findPod: (place) => findPod(client, nodeName, place),
    log,
  });
  return {
    endpoint: { port: opened.endpoint.port, annotations: { [NODE_AUTHORITY]: authority } },
  };
}

async function findPod(client: Client, nodeName: string, { uid, ...place }: PodPlace) {
  const pod = await findObject(client, pods, place);
  const isOurs = pod?.spec.nodeName === nodeName && (uid === "" || pod.metadata.uid === uid);
  return isOurs ? pod : undefined;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 3650;

/** Made anew at every start: the Node says which one it is. */
function ownCertificate(address: string, nodeName: string) {
  const nowMs = systemClock.nowMs();
  const from = new Date(nowMs - DAY_MS);
  const validity = { from, to: new Date(nowMs + VALID_DAYS * DAY_MS) };
  const commonName = "tally-node";
  const authority = issueAuthority(commonName, validity);
  const names = [address, nodeName];
  const issuer = { commonName, key: authority.key };
  return { authority: authority.cert, tls: issueServer(issuer, { commonName, names, validity }) };
}
