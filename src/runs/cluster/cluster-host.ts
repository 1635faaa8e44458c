/**
 * The runs of a cluster. The cluster may not answer for a while; its runs continue meanwhile.
 *
 * Reading order of the folder: this file; run-chain and run-client (the Jobs of a run as one);
 * read-run with cluster-ledger and cluster-items (what the cluster still knows); find-manager
 * (which controller manages the Jobs); run-on-cluster with start-run; retry-on-cluster;
 * cluster-logs.
 */
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Items } from "../../api/work-list/items.ts";
import { RUN } from "../../api/work-list/names.ts";
import { type Connection, wholeText } from "../../client/http-connection.ts";
import { remoteClient } from "../../client/remote.ts";
import { type AccessOptions, openConnection } from "../../client/renewing-connection.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import { findAccess } from "../../command/find-access.ts";
import type { Machine } from "../../command/machine.ts";
import { unreachable } from "../../command/unreachable.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { remoteLedger } from "../host/remote-ledger.ts";
import type { EngineHost, FoundRun, HostFlags } from "../host/run-host.ts";
import { BROKEN_OFF } from "../show/summary.ts";
import { readItems } from "./cluster-items.ts";
import { clusterLedger } from "./cluster-ledger.ts";
import { clusterLogs } from "./cluster-logs.ts";
import { isTallyServer } from "./find-manager.ts";
import { hasLedger, readChain, readFormer, readLedger, readPods, readRunJobs } from "./read-run.ts";
import { composeWhole, findChain, runNames } from "./run-chain.ts";
import { runClient, showPod } from "./run-client.ts";

export interface ClusterHost extends EngineHost {
  readonly connection: Connection;
}

export interface ClusterAccess {
  readonly access: AccessOptions;
  /** Of the flag, else of the context, else "default". */
  readonly namespace: string;
}

export async function findCluster(flags: HostFlags, machine: Machine): Promise<ClusterAccess> {
  if (flags.data !== undefined) {
    const named = flags.context === undefined ? "--kubeconfig" : "--context";
    throw new CommandFailure(`error: --data and ${named} are two places: use one`, 2);
  }
  const found = await findAccess(flags, machine);
  if (!found) throw new CommandFailure("error: there is no kubeconfig");
  const { url, namespace, ...identity } = found;
  return {
    access: { server: url, ...identity, userAgent: "tally" },
    namespace: flags.namespace || namespace || "default",
  };
}

/**
 * @param exitCode that of the command if the cluster does not answer
 */
export async function openClusterHost(
  cluster: ClusterAccess,
  machine: Pick<Machine, "writeError">,
  exitCode: number = BROKEN_OFF,
): Promise<ClusterHost> {
  return new OpenedCluster(cluster, machine, await reachCluster(cluster, exitCode));
}

interface ReachedCluster {
  readonly client: Client;
  readonly connection: Connection;
  readonly ledger: LedgerReader;
  /** Whether it is a Tally server, which keeps a ledger itself. */
  readonly isTally: boolean;
  close(): void;
}

class OpenedCluster implements ClusterHost {
  readonly kind = "cluster";
  readonly namespace: string;
  readonly logs: EngineHost["logs"];
  /** Logs have their own connection, so that they can be read to their end after a reconnect. */
  private readonly logConnection: Connection;

  constructor(
    private readonly cluster: ClusterAccess,
    private readonly machine: Pick<Machine, "writeError">,
    private reached: ReachedCluster,
  ) {
    this.namespace = cluster.namespace;
    this.logConnection = openConnection(cluster.access);
    this.logs = clusterLogs({
      connection: this.logConnection,
      nowMs: () => performance.now(),
      warn: (text) => this.warn(text),
    });
  }

  get client() {
    return this.reached.client;
  }

  get connection() {
    return this.reached.connection;
  }

  get ledger() {
    return this.reached.ledger;
  }

  async clientOf(name: string): Promise<Client> {
    const { client, namespace } = this;
    const chain = await readChain(client, { namespace, name });
    return chain ? runClient(client, { chain, itemAt: () => undefined }) : client;
  }

  async findRun(name: string): Promise<Job | undefined> {
    const chain = await readChain(this.client, { namespace: this.namespace, name });
    return chain && composeWhole(chain);
  }

  async listRuns(): Promise<readonly Job[]> {
    const all = await readRunJobs(this.client, this.namespace);
    return runNames(all).flatMap((name) => {
      const chain = findChain(all, name);
      return chain ? [composeWhole(chain)] : [];
    });
  }

  items(job: Job): Promise<Items> {
    return readItems(this.client, job);
  }

  async isLive(): Promise<boolean> {
    return true;
  }

  async remarks({ metadata }: Job): Promise<readonly string[]> {
    if (this.reached.isTally) return [];
    const place = { namespace: this.namespace, name: metadata.name ?? "" };
    const chain = await readChain(this.client, place);
    const noted = chain && (await readLedger(this.client, chain));
    if (!noted) return [NO_LEDGER];
    return noted.isCut ? [CUT_LEDGER] : [];
  }

  async reconnect(): Promise<void> {
    this.reached.close();
    await this.untilAnswering();
    this.reached = await reachCluster(this.cluster, BROKEN_OFF);
  }

  async close(): Promise<void> {
    this.reached.close();
    this.logConnection.close();
  }

  private async untilAnswering(): Promise<void> {
    const { access } = this.cluster;
    const untilMs = performance.now() + LONGEST_WAIT_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (await isAnswering(access)) return;
      if (pauseMs === NOTICE_PAUSE_MS) this.warn(`${access.server} does not answer; waiting`);
      if (performance.now() > untilMs) {
        throw new CommandFailure(`error: ${access.server} does not answer any more`, BROKEN_OFF);
      }
    }
  }

  private warn(text: string): void {
    this.machine.writeError(`tally: ${text}\n`);
  }
}

const FIRST_PAUSE_MS = 200;
/** The pause before the fifth try. The user is told then, after about six seconds. */
const NOTICE_PAUSE_MS = 3_200;
const LONGEST_PAUSE_MS = 10_000;
const LONGEST_WAIT_MS = 15 * 60_000;

const NO_LEDGER =
  "there is no ledger of this run, which tally controller would keep: attempts are those of pods " +
  "that are still there";
const CUT_LEDGER =
  "the ledger of this run is full: some attempts are known only where their pods are still there";

async function reachCluster(
  { access, namespace }: ClusterAccess,
  exitCode: number,
): Promise<ReachedCluster> {
  const connection = openConnection(access);
  try {
    const isTally = await isTallyServer(connection);
    const client = remoteClient(access);
    const ledger = isTally ? remoteLedger(connection) : openClusterLedger(client, namespace);
    const close = () => {
      client.close();
      connection.close();
    };
    return { client, connection, isTally, ledger, close };
  } catch (error) {
    connection.close();
    const failure = unreachable(access.server, error);
    throw failure instanceof CommandFailure
      ? new CommandFailure(failure.message, exitCode)
      : failure;
  }
}

async function isAnswering(access: AccessOptions): Promise<boolean> {
  const connection = openConnection(access);
  try {
    await wholeText(await connection.send({ method: "GET", path: "/version" }));
    return true;
  } catch {
    return false;
  } finally {
    connection.close();
  }
}

/** The ledger of the runs of a namespace. */
export function openClusterLedger(
  client: Client,
  namespace: string,
  nowMs: () => number = () => performance.now(),
): LedgerReader {
  return clusterLedger({
    nowMs,
    read: async (name) => {
      const chain = await readChain(client, { namespace, name });
      if (!chain) return undefined;
      const [pods, noted, formerAt] = await Promise.all([
        readPods(client, chain),
        readLedger(client, chain),
        readFormer(client, chain),
      ]);
      const view = { chain, itemAt: () => undefined };
      return {
        job: composeWhole(chain),
        pods: pods.map((pod) => showPod(view, pod)),
        noted,
        isNoted: hasLedger(chain.first),
        ...(formerAt ? { formerAt } : {}),
      };
    },
  });
}

/**
 * For commands whose argument may also be another Job of the cluster. If items are asked for, any
 * Job counts as a run.
 */
export async function findClusterRun(
  name: string,
  flags: HostFlags,
  machine: Machine,
  { isOfItem = false }: { readonly isOfItem?: boolean } = {},
): Promise<FoundRun<ClusterHost> | undefined> {
  const host = await openClusterHost(await findCluster(flags, machine), machine, FAILED);
  try {
    const job = await host.findRun(name);
    const isRun = job?.metadata.labels?.[RUN] !== undefined;
    if (job && (isRun || isOfItem)) return { host, job };
  } catch (error) {
    await host.close();
    throw error;
  }
  await host.close();
  return undefined;
}

const FAILED = 1;
